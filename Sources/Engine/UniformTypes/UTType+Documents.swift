extension CoreTypes {
  /// Documents, books, databases, messages, calendars, keys and fonts.
  package static let documents = """
    com.adobe.pdf | public.data public.composite-content | pdf | application/pdf application/x-pdf | PDF
    com.adobe.postscript | public.data public.composite-content | ps | application/postscript | PostScript
    com.adobe.encapsulated-postscript | com.adobe.postscript | eps epsf | image/x-eps | EPS
    com.apple.rtfd | com.apple.package public.composite-content | rtfd | | rich text with attachments
    com.apple.flat-rtfd | public.data public.composite-content | | | flattened rich text
    com.apple.webarchive | public.data public.composite-content | webarchive | \
    application/x-webarchive | web archive
    org.textbundle.package | com.apple.package public.composite-content | textbundle | | TextBundle
    org.textbundle.zip | public.zip-archive public.composite-content | textpack | \
    application/x-textpack | TextPack

    public.spreadsheet | public.content | | | spreadsheet
    public.presentation | public.composite-content | | | presentation
    com.microsoft.word.doc | public.data public.composite-content | doc | \
    application/msword | Word 97 document
    org.openxmlformats.openxml | public.data public.composite-content | | | Office Open XML document
    org.openxmlformats.wordprocessingml.document | org.openxmlformats.openxml | docx | \
    application/vnd.openxmlformats-officedocument.wordprocessingml.document | Word document
    com.microsoft.excel.xls | public.data public.spreadsheet | xls | \
    application/vnd.ms-excel application/msexcel | Excel 97 workbook
    org.openxmlformats.spreadsheetml.sheet | org.openxmlformats.openxml public.spreadsheet | xlsx | \
    application/vnd.openxmlformats-officedocument.spreadsheetml.sheet | Excel workbook
    com.microsoft.powerpoint.ppt | public.data public.presentation | ppt | \
    application/vnd.ms-powerpoint application/mspowerpoint | PowerPoint 97 presentation
    org.openxmlformats.presentationml.presentation | \
    org.openxmlformats.openxml public.presentation | pptx | \
    application/vnd.openxmlformats-officedocument.presentationml.presentation | PowerPoint presentation
    org.oasis-open.opendocument | public.data public.composite-content | | | OpenDocument
    org.oasis-open.opendocument.text | org.oasis-open.opendocument | odt | \
    application/vnd.oasis.opendocument.text | OpenDocument text
    org.oasis-open.opendocument.spreadsheet | org.oasis-open.opendocument public.spreadsheet | ods | \
    application/vnd.oasis.opendocument.spreadsheet | OpenDocument spreadsheet
    org.oasis-open.opendocument.presentation | org.oasis-open.opendocument public.presentation | odp | \
    application/vnd.oasis.opendocument.presentation | OpenDocument presentation
    org.oasis-open.opendocument.graphics | org.oasis-open.opendocument | odg | \
    application/vnd.oasis.opendocument.graphics | OpenDocument drawing
    org.idpf.epub-container | public.data public.composite-content | epub | \
    application/epub+zip | EPUB book
    org.idpf.epub-folder | com.apple.package public.composite-content | epub | | EPUB book folder

    public.database | public.data | | | database
    org.sqlite.sqlite | public.database | sqlite sqlite3 db | \
    application/vnd.sqlite3 application/x-sqlite3 | SQLite database

    public.message | public.content | | | message
    public.email-message | public.data public.message | eml | message/rfc822 | e-mail message
    public.contact | public.content | | | contact
    public.vcard | public.text public.contact | vcf vcard | text/vcard text/x-vcard text/directory | vCard
    public.calendar-event | public.content | | | calendar event
    public.to-do-item | public.content | | | task
    com.apple.ical.ics | public.text public.calendar-event | ics ical | text/calendar | iCalendar
    com.apple.linkpresentation.metadata | public.data | | | link metadata

    com.rsa.pkcs-12 | public.data | p12 pfx | application/x-pkcs12 application/pkcs12 | PKCS 12 container
    public.x509-certificate | public.data | cer crt der pem | \
    application/x-x509-ca-cert application/pkix-cert | X.509 certificate

    public.font | public.data public.content | | | font
    public.opentype-font | public.font | otf | font/otf application/x-font-otf | OpenType font
    public.truetype-ttf-font | public.font | ttf | font/ttf application/x-font-ttf | TrueType font
    public.truetype-collection-font | public.font | ttc | font/collection | TrueType font collection
    org.w3.woff | public.font | woff | font/woff application/font-woff | WOFF font
    org.w3.woff2 | public.font | woff2 | font/woff2 | WOFF 2 font
    """
}

extension UTType {
  /// PDF. `com.adobe.pdf`
  public static var pdf: UTType { UTType(core: "com.adobe.pdf") }
  /// Rich text with attachments, as a package. `com.apple.rtfd`
  public static var rtfd: UTType { UTType(core: "com.apple.rtfd") }
  /// Rich text with attachments, as one stream of bytes. `com.apple.flat-rtfd`
  public static var flatRTFD: UTType { UTType(core: "com.apple.flat-rtfd") }
  /// A web page with its resources. `com.apple.webarchive`
  public static var webArchive: UTType { UTType(core: "com.apple.webarchive") }
  /// An EPUB book. `org.idpf.epub-container`
  public static var epub: UTType { UTType(core: "org.idpf.epub-container") }
  /// Text with its assets, as a package. `org.textbundle.package`
  public static var textBundle: UTType { UTType(core: "org.textbundle.package") }
  /// Text with its assets, as a ZIP archive. `org.textbundle.zip`
  public static var textPack: UTType { UTType(core: "org.textbundle.zip") }
  /// A spreadsheet. `public.spreadsheet`
  public static var spreadsheet: UTType { UTType(core: "public.spreadsheet") }
  /// A presentation. `public.presentation`
  public static var presentation: UTType { UTType(core: "public.presentation") }
  /// A database. `public.database`
  public static var database: UTType { UTType(core: "public.database") }
}

extension UTType {
  /// A message. `public.message`
  public static var message: UTType { UTType(core: "public.message") }
  /// An e-mail message. `public.email-message`
  public static var emailMessage: UTType { UTType(core: "public.email-message") }
  /// A contact. `public.contact`
  public static var contact: UTType { UTType(core: "public.contact") }
  /// A vCard. `public.vcard`
  public static var vCard: UTType { UTType(core: "public.vcard") }
  /// An event. `public.calendar-event`
  public static var calendarEvent: UTType { UTType(core: "public.calendar-event") }
  /// A task. `public.to-do-item`
  public static var toDoItem: UTType { UTType(core: "public.to-do-item") }
  /// The preview of a link. `com.apple.linkpresentation.metadata`
  public static var linkPresentationMetadata: UTType { UTType(core: "com.apple.linkpresentation.metadata") }
}

extension UTType {
  /// A PKCS 12 container of keys and certificates. `com.rsa.pkcs-12`
  public static var pkcs12: UTType { UTType(core: "com.rsa.pkcs-12") }
  /// An X.509 certificate. `public.x509-certificate`
  public static var x509Certificate: UTType { UTType(core: "public.x509-certificate") }
  /// A font. `public.font`
  public static var font: UTType { UTType(core: "public.font") }
}
