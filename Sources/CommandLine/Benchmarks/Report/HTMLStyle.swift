/// The style of the page.
enum HTMLStyle {
  /// Colours that differ in lightness too, for a light and a dark ground.
  private static let light = [
    "#0b5fa5", "#b3460e", "#1c7a3f", "#7a3fa0", "#a01d45", "#5f5a00", "#007d86", "#8a5a2b", "#44546a",
    "#b0307f",
    "#3b3b98",
  ]
  private static let dark = [
    "#7cbcf5", "#f5a36b", "#7fd69b", "#cfa2ee", "#f58fab", "#d8d06a", "#6ed3da", "#d9b183", "#aebfd4",
    "#f19ad0",
    "#b1b1f7",
  ]

  static var text: String {
    let colors = { (list: [String]) in
      list.enumerated().map { "--s\($0.offset):\($0.element)" }.joined(separator: ";")
    }
    let series = light.indices.map { ".s\($0){--c:var(--s\($0))}" }.joined()
    return """
      :root{color-scheme:light dark;--ground:#fff;--ink:#1b1f24;--soft:#57606a;--line:#d6dbe1;--ours:#eef5fc;\(colors(light))}
      @media(prefers-color-scheme:dark){:root{--ground:#14181d;--ink:#e8ecf0;--soft:#9aa5b1;--line:#333b45;--ours:#1c2836;\
      \(colors(dark))}}
      \(series)
      *{box-sizing:border-box}
      body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.45 system-ui,sans-serif}
      main{max-width:940px;margin:0 auto;padding:24px 16px 48px}
      h1{font-size:26px;margin:0 0 12px}h2{font-size:17px;margin:36px 0 10px}
      dl{display:flex;flex-wrap:wrap;gap:4px 24px;margin:0;font-size:13px}dl div{display:flex;gap:6px}
      dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
      svg{display:block;max-width:100%;height:auto}
      svg text{font:12px system-ui,sans-serif;fill:var(--ink)}
      .grid line{stroke:var(--line)}.grid text{fill:var(--soft)}
      polyline{fill:none;stroke:var(--c);stroke-width:1.5}.ours polyline{stroke-width:3}
      .range{stroke:var(--c);stroke-width:5;opacity:.3}.lead{stroke:var(--line)}
      .ours text,.ours .name,.ours th{font-weight:700}
      circle,rect,path{fill:var(--c);stroke:var(--c);stroke-width:1.5}
      .hollow{fill:var(--ground)}.cross{fill:none;stroke-width:2.5}
      .narrow{display:none}
      .range-row{display:grid;grid-template-columns:104px 1fr 70px;align-items:center;gap:8px;height:24px;font-size:13px}
      .range-row .value{text-align:right;font-variant-numeric:tabular-nums}
      .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
      .track{position:relative;height:24px;border-left:1px solid var(--line);border-right:1px solid var(--line)}
      .track:before{content:"";position:absolute;left:0;right:0;top:12px;border-top:1px solid var(--line)}
      .track i{position:absolute;top:9px;height:6px;min-width:2px;background:var(--c);opacity:.35}
      .track b{position:absolute;top:6px;margin-left:-6px}
      .axis .track:before{border:0}.axis .track{border:0}
      .track em{position:absolute;transform:translateX(-50%);font-style:normal;font-size:11px;color:var(--soft);white-space:nowrap}
      .scroll{overflow-x:auto;margin-top:10px}
      table{border-collapse:collapse;font-size:13px;width:100%;font-variant-numeric:tabular-nums}
      th,td{padding:4px 8px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
      th:first-child{text-align:left}thead th{color:var(--soft);font-weight:400}
      tbody th{font-weight:400}tr.ours{background:var(--ours)}td.note{text-align:left;color:var(--soft);white-space:normal}
      small{color:var(--soft);font-size:11px}
      footer{margin-top:40px;font-size:13px;color:var(--soft)}
      @media(max-width:640px){.wide{display:none}.narrow{display:block}\
      .range-row{grid-template-columns:84px 1fr 62px}main{padding:16px 14px 40px}}
      """
  }
}
