/// Values by key in the order of their last use, with the sum of their costs.
struct LRUCache<Key: Hashable, Value> {
    private struct Node {
        var key: Key
        var value: Value
        var cost: Int
        var newer: Int
        var older: Int
    }

    /// The sum of the values' costs.
    private(set) var cost = 0
    private var nodes: [Node] = []
    private var places: [Key: Int] = [:]
    private var newest = -1
    private var oldest = -1

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

    /// Sets the value of `key`, as the newest.
    mutating func insert(_ value: Value, for key: Key, cost: Int) {
        remove(key)
        nodes.append(Node(key: key, value: value, cost: cost, newer: -1, older: -1))
        places[key] = nodes.count - 1
        self.cost += cost
        linkAsNewest(nodes.count - 1)
    }

    /// Drops the value that was not used for the longest time, unless it is the only one.
    ///
    /// - Returns: whether one was dropped.
    mutating func removeOldest() -> Bool {
        guard oldest != newest else { return false }
        remove(nodes[oldest].key)
        return true
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

    mutating func removeAll() { self = LRUCache() }

    private mutating func unlink(_ place: Int) {
        let (newer, older) = (nodes[place].newer, nodes[place].older)
        if newer >= 0 { nodes[newer].older = older } else { newest = older }
        if older >= 0 { nodes[older].newer = newer } else { oldest = newer }
    }

    private mutating func linkAsNewest(_ place: Int) {
        nodes[place].newer = -1
        nodes[place].older = newest
        if newest >= 0 { nodes[newest].newer = place } else { oldest = place }
        newest = place
    }
}
