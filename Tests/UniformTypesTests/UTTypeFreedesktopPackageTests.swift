import UniformTypes
import Testing

@Suite("The freedesktop package of declared types")
struct UTTypeFreedesktopPackageTests {
  private func xml(_ declarations: [UTType.Declaration]) throws -> String {
    let registry = TypeRegistry(database: FreedesktopDatabase(directories: []))
    let types = try registry.declare(.init(exported: declarations))
    return registry.catalog.freedesktopPackage(for: types + types)
  }

  @Test func `has every type once, with its names`() throws {
    let text = try xml([
      .init(
        identifier: "com.example.Trip", conformsTo: [.package, .compositeContent],
        filenameExtensions: ["trip", "tr"], mimeTypes: ["application/x-trip", "application/trip"],
        description: "Trip"),
      .init(identifier: "com.example.Notes", conformsTo: [.zip, .data]),
    ])
    #expect(
      text == """
        <?xml version="1.0" encoding="UTF-8"?>
        <mime-info xmlns="http://www.freedesktop.org/standards/shared-mime-info">
          <mime-type type="application/x-trip">
            <comment>Trip</comment>
            <alias type="application/trip"/>
            <sub-class-of type="inode/directory"/>
            <glob pattern="*.trip"/>
            <glob pattern="*.tr"/>
          </mime-type>
          <mime-type type="application/x-com.example.notes">
            <sub-class-of type="application/zip"/>
          </mime-type>
        </mime-info>

        """)
  }

  @Test func `has no character that XML or a glob would misread`() throws {
    let text = try xml([
      .init(
        identifier: "com.example.x", conformsTo: [.data], filenameExtensions: [#"a*[b]?\&"c"#],
        mimeTypes: ["application/x-a&b"], description: "<A & \"B\">\n\u{1}\u{FFFE}é")
    ])
    #expect(text.contains(#"<mime-type type="application/x-a&amp;b">"#))
    #expect(text.contains("<comment>&lt;A &amp; &quot;B&quot;&gt;&#10;\u{FFFD}\u{FFFD}é</comment>"))
    #expect(text.contains(#"<glob pattern="*.a[*][[]b][?]\\&amp;&quot;c"/>"#))
    #expect(!text.contains("octet-stream"))
  }

  @Test func `leaves out parameters of MIME types`() {
    let text = UTType.freedesktopPackage(for: [.utf8PlainText])
    #expect(text.contains(#"<mime-type type="application/x-public.utf8-plain-text">"#))
    #expect(text.contains(#"<sub-class-of type="text/plain"/>"#))
  }

  @Test func `is empty for no types`() {
    #expect(UTType.freedesktopPackage(for: []).split(separator: "\n").count == 3)
  }
}
