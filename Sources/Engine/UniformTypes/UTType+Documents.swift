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
