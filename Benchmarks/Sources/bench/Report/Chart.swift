import Foundation

/// SVG charts: text, boxes and circles, on axes of powers of ten.
struct Chart {
    private var body: [String] = []
    private let width: Double
    let height: Double

    init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    /// A bar for each value, longer for each power of ten.
    static func bars(_ title: String, _ values: [(name: String, value: Double)]) -> String {
        let (left, barHeight, top) = (190.0, 18.0, 44.0)
        var chart = Chart(width: 720, height: top + barHeight * Double(values.count) + 12)
        // A bit below the least, so that every bar has a length.
        let least = (values.map(\.value).min() ?? 1) * 0.8
        let scale = Scale(values.map(\.value) + [1, least], pixels: left...630)
        chart.text(title, x: 12, y: 22, size: 15)
        for decade in scale.decades {
            let x = scale.position(of: decade)
            chart.line(x, top - 4, x, chart.height - 8)
            chart.text(Scale.label(decade), x: x, y: top - 8, size: 10, anchor: "middle")
        }
        for (row, (name, value)) in values.enumerated() {
            let y = top + barHeight * Double(row)
            let end = scale.position(of: value)
            chart.text(name, x: left - 8, y: y + 13, anchor: "end")
            chart.box(x: left, y: y + 3, width: max(1, end - left), height: 12, color(of: name))
            chart.text(format(value), x: end + 5, y: y + 13)
        }
        return chart.svg
    }

    /// The colours of packed forms.
    static let groups = [
        (name: "Quire by zlib", color: "#1668c1"), (name: "Quire by libdeflate", color: "#1f8a4c"),
        (name: "other formats", color: "#d2691e"),
    ]

    static func color(of way: String) -> String {
        if way.hasPrefix(Engine.zlib.prefix) { return groups[0].color }
        if way.hasPrefix(Engine.libdeflate.prefix) { return groups[1].color }
        let isPlain = ["pread", "mmap", "FileDataProvider"].contains(way)
        return isPlain ? "#8a8a8a" : groups[2].color
    }

    mutating func text(
        _ text: String, x: Double, y: Double, size: Int = 12, anchor: String = "start",
        color: String = "#000"
    ) {
        body.append(
            "<text x=\"\(Self.pixel(x))\" y=\"\(Self.pixel(y))\" font-size=\"\(size)\" "
                + "text-anchor=\"\(anchor)\" fill=\"\(color)\">\(text)</text>")
    }

    mutating func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String = "#ddd"
    ) {
        body.append(
            "<path d=\"M\(Self.pixel(x1)) \(Self.pixel(y1))L\(Self.pixel(x2)) \(Self.pixel(y2))\" "
                + "stroke=\"\(color)\"/>")
    }

    mutating func box(
        x: Double, y: Double, width: Double, height: Double, _ color: String
    ) {
        body.append(
            "<rect x=\"\(Self.pixel(x))\" y=\"\(Self.pixel(y))\" width=\"\(Self.pixel(width))\" "
                + "height=\"\(Self.pixel(height))\" fill=\"\(color)\"/>")
    }

    mutating func circle(_ x: Double, _ y: Double, _ color: String) {
        body.append(
            "<circle cx=\"\(Self.pixel(x))\" cy=\"\(Self.pixel(y))\" r=\"4.5\" fill=\"\(color)\"/>")
    }

    private static func pixel(_ value: Double) -> String { String(format: "%.1f", value) }

    var svg: String {
        let size = "\(Int(width)) \(Int(height))"
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(size)" font-family="sans-serif">
            <rect width="100%" height="100%" fill="#fff"/>
            \(body.joined(separator: "\n"))
            </svg>

            """
    }
}

/// A logarithmic axis.
struct Scale {
    private let low: Double
    private let high: Double
    private let pixels: ClosedRange<Double>

    init(_ values: [Double], pixels: ClosedRange<Double>) {
        low = floor(log10(values.min() ?? 1))
        high = max(low + 1, log10(values.max() ?? 10))
        self.pixels = pixels
    }

    var decades: [Double] { stride(from: low, through: high, by: 1).map { pow(10, $0) } }

    func position(of value: Double) -> Double {
        let part = (log10(value) - low) / (high - low)
        return pixels.lowerBound + part * (pixels.upperBound - pixels.lowerBound)
    }

    static func label(_ decade: Double) -> String { String(format: "%g", decade) }
}
