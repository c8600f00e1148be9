/// Values by key within a budget of cost; the least recently used go first, the newest always stays.
struct LRUCache<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    /// The sum of costs that is kept; the newest value stays even if it costs more.
    let budget: Int
    private(set) var cost = 0
    private var nodes: [Node] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1

    init(budget: Int) { self.budget = budget }

    var count: Int { nodes.count }

    /// The value of `key`, which becomes the newest.
    mutating func value(for key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        if place != newest {
            unlink(place)
            linkAsNewest(place)
        }
        return nodes[place].value
    }

    /// Sets the value of `key`, as the newest, and drops the oldest beyond the budget.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        nodes.append(Node(key: key, value: value, cost: cost, newer: -1, older: -1))
        places[key] = nodes.count - 1
        self.cost += cost
        linkAsNewest(nodes.count - 1)
        while self.cost > budget, oldest != newest { remove(nodes[oldest].key) }
    }

    mutating func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        cost -= nodes[place].cost
        let moved = nodes.count - 1
        if moved != place {
            // The last node takes the free place, so that the nodes stay dense.
            nodes[place] = nodes[moved]
            places[nodes[place].key] = place
            if nodes[place].newer >= 0 { nodes[nodes[place].newer].older = place }
            if nodes[place].older >= 0 { nodes[nodes[place].older].newer = place }
            if newest == moved { newest = place }
            if oldest == moved { oldest = place }
        }
        nodes.removeLast()
    }

    mutating func removeAll() { self = LRUCache(budget: budget) }

    private mutating func unlink(_ place: Int) {
        let node = nodes[place]
        if node.newer >= 0 { nodes[node.newer].older = node.older } else { newest = node.older }
        if node.older >= 0 { nodes[node.older].newer = node.newer } else { oldest = node.newer }
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place].newer = -1
        nodes[place].older = newest
        if newest >= 0 { nodes[newest].newer = place } else { oldest = place }
        newest = place
    }
}
