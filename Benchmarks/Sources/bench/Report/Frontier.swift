import Foundation

/// Stored size against time: a point for each way, to the right if it is slower, higher if it is larger.
struct Frontier {
    let title: String
    let points: [(name: String, time: Double, size: Double)]
    private let plot = (left: 60.0, right: 690.0, top: 88.0, bottom: 490.0)

    var svg: String {
        var chart = Chart(width: 720, height: 540)
        let x = Scale(points.map(\.time), pixels: plot.left...plot.right - 90)
        // What is far larger than the others is put at the upper edge, with its size beside its name.
        let low = points.map(\.size).min() ?? 0
        let limit = low + 2.5 * (points.map(\.size).median - low)
        let high = max(points.map(\.size).filter { $0 <= limit }.max() ?? low, low * 1.01)
        let margin = 0.12 * (high - low)
        let y = { (size: Double) in
            let part = (min(size, high + margin) - low + margin) / (high - low + 2 * margin)
            return plot.bottom - part * (plot.bottom - plot.top)
        }
        chart.text(title, x: 12, y: 22, size: 15)
        for (index, group) in Chart.groups.enumerated() {
            let x = plot.left + 170 * Double(index)
            chart.circle(x, 42, group.color)
            chart.text(group.name, x: x + 10, y: 46, size: 11)
        }
        chart.text("stored size, % of the documents", x: 12, y: 72, size: 11)
        chart.text(
            "time, x pread of the plain file", x: plot.right, y: 530, size: 11, anchor: "end")
        for decade in x.decades {
            let position = x.position(of: decade)
            chart.line(position, plot.top, position, plot.bottom)
            chart.text(Scale.label(decade), x: position, y: 508, size: 11, anchor: "middle")
        }
        for step in 0...4 {
            let size = low + (high - low) * Double(step) / 4
            let label = String(format: "%.2f", size)
            chart.line(plot.left, y(size), plot.right, y(size))
            chart.text(label, x: plot.left - 8, y: y(size) + 4, size: 11, anchor: "end")
        }
        let places = points.map { (x: x.position(of: $0.time), y: y($0.size)) }
        for (point, place) in zip(points, places) {
            chart.circle(place.x, place.y, Chart.color(of: point.name))
        }
        var taken = places.map { Box(x: $0.x - 5, y: $0.y - 5, width: 10, height: 10) }
        for (point, place) in zip(points, places) {
            let isOver = point.size > high + margin
            let name = label(point.name) + (isOver ? String(format: " (%.0f %%)", point.size) : "")
            let box = free(for: name, at: place, taken)
            taken.append(box)
            // A label that is not beside its point is led to it.
            if abs(box.y - place.y) > 10 {
                let x = min(max(place.x, box.x), box.x + box.width)
                chart.line(place.x, place.y, x, box.y + (box.y < place.y ? 13 : 0), "#999")
            }
            chart.text(name, x: box.x, y: box.y + 10, size: 11, color: Chart.color(of: point.name))
        }
        return chart.svg
    }

    /// The name of a way, without what the colour says.
    private func label(_ name: String) -> String {
        let engine = Engine.allCases.first { name.hasPrefix($0.prefix + " ") }
        return engine.map { String(name.dropFirst($0.prefix.count + 1)) } ?? name
    }

    private struct Box {
        var x, y, width, height: Double

        func meets(_ other: Box) -> Bool {
            abs(x + width / 2 - other.x - other.width / 2) < (width + other.width) / 2
                && abs(y + height / 2 - other.y - other.height / 2) < (height + other.height) / 2
        }
    }

    /// Where a label meets nothing: beside its point, or the nearest place above or below.
    private func free(for name: String, at place: (x: Double, y: Double), _ taken: [Box]) -> Box {
        let width = 6.4 * Double(name.count)
        let sides = [place.x + 8, place.x - 8 - width, place.x - width / 2]
        let steps = [0.0, -12, 12, -24, 24, -36, 36, -48, 48, -60, 60, 72]
        let boxes = steps.flatMap { step in
            sides.map { Box(x: $0, y: place.y - 7 + step, width: width, height: 13) }
        }
        return boxes.first { box in
            box.y > plot.top - 10 && box.y < plot.bottom - 10 && box.x > plot.left
                && box.x + box.width < plot.right + 20
                && !taken.contains { $0.meets(box) }
        } ?? boxes[0]
    }
}
