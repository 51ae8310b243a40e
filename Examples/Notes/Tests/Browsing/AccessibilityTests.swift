import Foundation
import SystemPackage
import Testing

extension BrowserTests {
  @Suite("A page for everyone")
  struct AccessibilityTests {
    /// The addresses of the pages, with `ID` for the document.
    private static let pages = ["/", "/d/ID", "/d/ID/history", "/d/ID/conflicts", "/nothing"]

    /// The complaints of the rules that a script can check, about what the page shows now.
    private static let rules = """
      const complaints = [];
      const words = (e) => `<${e.tagName.toLowerCase()} id="${e.id}" class="${e.className}">`;
      const shown = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true })
        && e.getClientRects().length > 0);
      // Colours in numbers, also those that style sheets mix.
      const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true });
      const numbers = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
      };
      const over = ([r, g, b, a], below) => [r, g, b].map((value, i) => value * a / 255 + below[i] * (1 - a / 255));
      const ground = (e) => {
        const layers = [];
        for (let at = e; at; at = at.parentElement) layers.push(numbers(getComputedStyle(at).backgroundColor));
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255]);
      };
      const light = (color) => color.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      for (const e of shown) {
        const style = getComputedStyle(e);
        const hasText = [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== '') || (e.matches('input, textarea') && (e.value || e.placeholder));
        if (hasText && !e.matches(':disabled') && !e.closest('.hidden-words, .skip, option') && !(style.clipPath !== 'none' && style.position === 'absolute')) {
          const behind = ground(e);
          const color = e.matches('input, textarea') && !e.value ? getComputedStyle(e, '::placeholder').color : style.color;
          const [a, b] = [light(over(numbers(color), behind)), light(behind)].sort((x, y) => y - x);
          const size = parseFloat(style.fontSize);
          const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
          const ratio = (a + 0.05) / (b + 0.05);
          if (ratio < (isLarge ? 3 : 4.5)) complaints.push(`contrast ${ratio.toFixed(2)} of ${words(e)}`);
        }
        if (e.matches('a[href], button, input, select, textarea, [tabindex="0"]') && !e.matches('.skip, :disabled')) {
          const box = e.getBoundingClientRect();
          const isInLine = style.display === 'inline';
          if (!isInLine && !e.closest('.choice') && (box.width < 24 || box.height < 24)) complaints.push(`size ${box.width}×${box.height} of ${words(e)}`);
        }
        if (e.matches('img') && !e.hasAttribute('alt')) complaints.push(`no alternative text of ${words(e)}`);
      }
      const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);
      for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) complaints.push(`two of #${id}`);
      if (document.documentElement.scrollWidth > innerWidth) complaints.push(`wider than the window: ${document.documentElement.scrollWidth}`);
      if (document.querySelectorAll('h1').length > 1) complaints.push('several h1');
      if (!document.documentElement.lang || !document.title) complaints.push('no language or title');
      if (document.querySelectorAll('main').length !== 1) complaints.push('not one main');
      return complaints;
      """

    private static let roles: Set<String> = [
      "button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "menuitem", "grid", "dialog",
      "image", "img", "navigation", "region",
    ]

    private func fill(_ fixture: ServeFixture) throws {
      try VersionPageTests.conflict(fixture)
      try fixture.docpkg(
        "edit", "Trip.imageNotes", "--add-image", ServeFixture.picture("Dawn.png"), "--quiet")
      try fixture.docpkg("new", "Harbour.imageNotes", "--text", "Boats\nand gulls", "--quiet")
    }

    @Test func `has contrast, names and room, on a phone and in the dark as well`() async throws {
      try await ServeFixture.with(prepare: fill) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          let id = try await browser.id(of: "Trip")
          for (width, dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
            try await browser.emulate(width: width, dark: dark, reducedMotion: true)
            for page in Self.pages {
              try await browser.go(to: fixture.address.page(page.replacing("ID", with: id)))
              if page != "/nothing" {
                try await browser.wait(for: "the page", until: "document.body.dataset.ready")
              }
              let complaints = try await browser.run(Self.rules).elements.compactMap(\.string)
              #expect(complaints == [], "\(page) at \(width), \(dark ? "dark" : "light")")
              let nodes = try await browser.devTools("Accessibility.getFullAXTree")["nodes"].elements
              for node in nodes where node["ignored"] != true {
                guard let role = node["role"]["value"].string, Self.roles.contains(role) else { continue }
                #expect(
                  node["name"]["value"].string?.isEmpty == false, "\(page): a \(role) has no name: \(node)")
              }
            }
          }
        }
      }
    }

    @Test func `is used by the keyboard: each control gets a visible focus, in order`() async throws {
      try await ServeFixture.with(prepare: fill) { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          let id = try await browser.id(of: "Trip")
          for page in Self.pages.dropLast() {
            try await browser.go(to: fixture.address.page(page.replacing("ID", with: id)))
            try await browser.wait(for: "the page", until: "document.body.dataset.ready")
            try await checkFocus(browser, page)
          }
        }
      }
    }

    /// Goes through the controls of a page by the tabulator key.
    private func checkFocus(_ browser: Browser, _ page: String) async throws {
      // The order of the document, and nothing twice. The list may replace a row by a newer one meanwhile.
      try await browser.run("window.last = -1")
      var count = 0
      while count < 60 {
        try await browser.press(.tab)
        let state = try await browser.run(
          """
          const e = document.activeElement;
          if (!e || e === document.body) return 'end';
          const index = [...document.querySelectorAll('*')].indexOf(e);
          const style = getComputedStyle(e);
          const seen = style.outlineStyle !== 'none' || style.boxShadow !== 'none' || e.id === 'text'
            || e.closest('label')?.matches(':has(:focus-visible)');
          const words = `<${e.tagName.toLowerCase()} id="${e.id}" class="${e.className}">`;
          const answer = index <= last ? `after a later one: ${words}` : seen ? 'good' : `not visible: ${words}`;
          last = index;
          return answer;
          """
        ).string
        if state == "end" { break }
        #expect(state == "good", "\(page)")
        count += 1
      }
      #expect((3..<60).contains(count), "\(page): \(count) controls")
    }

    @Test func `is checked by rules that find a planted defect`() async throws {
      try await ServeFixture.with { fixture in
        try await Browser.with { browser in
          try await browser.openLibrary(of: fixture)
          #expect(try await browser.run(Self.rules) == [])
          try await browser.run(
            """
            const faint = Object.assign(document.createElement('p'), { textContent: 'faint' });
            faint.style.color = '#aaa';
            const small = Object.assign(document.createElement('button'), { id: 'empty' });
            Object.assign(small.style, { width: '10px', minHeight: '10px', padding: '0' });
            const wide = document.createElement('div');
            wide.style.width = '3000px';
            wide.style.height = '1px';
            document.querySelector('main').append(faint, small, wide, document.createElement('img'));
            """)
          let found = try await browser.run(Self.rules).elements.compactMap(\.string).joined(separator: "\n")
          for defect in ["contrast", "size 10", "two of #empty", "wider than the window"] {
            #expect(found.contains(defect), "\(found)")
          }
        }
      }
    }

    @Test func `moves nothing for a person who does not want it`() async throws {
      try await ServeFixture.with(prepare: fill) { fixture in
        try await Browser.with { browser in
          try await browser.emulate(width: 1280, reducedMotion: true)
          try await browser.openLibrary(of: fixture)
          let id = try await browser.id(of: "Trip")
          for page in Self.pages {
            try await browser.go(to: fixture.address.page(page.replacing("ID", with: id)))
            let moving = try await browser.run(
              """
              return [...document.querySelectorAll('*')].filter((e) => {
                const style = getComputedStyle(e);
                return [style.transitionDuration, style.animationDuration].some((t) => t.split(',').some((d) => parseFloat(d) > 0))
                  || style.scrollBehavior === 'smooth';
              }).length
              """)
            #expect(moving == 0, "\(page)")
          }
        }
      }
    }
  }
}

extension Browser {
  /// The identifier of a document in the library.
  func id(of name: String) async throws -> String {
    try await wait(
      for: "the row of \(name)",
      until:
        "[...document.querySelectorAll('.row')].find((row) => row.querySelector('.row-name').textContent === arguments[0])?.dataset.id",
      .string(name)
    ).string ?? ""
  }
}
