/// A chart of each strategy's times for one work, as wide as the page. It shows the median as a mark on a bar from
/// the tenth to the ninetieth percentile, on one logarithmic axis.
struct RangeChart {
  var results: [Measurement]
  /// The mark of each strategy.
  var marks: [String: Mark]

  var html: String {
    let measured = results.compactMap(\.seconds)
    let axis = LogAxis(measured.flatMap { [$0.p10, $0.p90] })
    var html = "<div class=\"ranges\" role=\"img\" aria-label=\"Times, also in the table below\">"
    for result in results {
      guard let seconds = result.seconds, let mark = marks[result.strategy] else { continue }
      let (low, middle) = (
        percent(axis.place(of: seconds.p10)),
        percent(axis.place(of: seconds.median))
      )
      html += """
        <div class="range-row \(mark.style)\(result.isOurs ? " ours" : "")">\
        <span class="name">\(HTMLReport.escaped(result.strategy))</span><span class="track">\
        <i style="left:\(low)%;right:\(percent(1 - axis.place(of: seconds.p90)))%"></i>\
        <b style="left:\(middle)%"><svg viewBox="-6 -6 12 12" width="12" height="12">\(mark.svg(0, 0))</svg></b>\
        </span><span class="value">\(Figures.time(seconds.median))</span></div>
        """
    }
    html += "<div class=\"range-row axis\"><span class=\"name\"></span><span class=\"track\">"
    let ticks = axis.ticks
    // If there are many ticks, half of them are omitted, because a telephone has no room for all.
    for (number, tick) in ticks.enumerated() where ticks.count <= 5 || number % 2 == 0 {
      let place = percent(axis.place(of: tick))
      html += "<em style=\"left:\(place)%\">\(GrowthChart.timeTick(tick))</em>"
    }
    return html + "</span><span class=\"value\"></span></div></div>"
  }

  private func percent(_ part: Double) -> Double { (part * 1000).rounded() / 10 }
}
