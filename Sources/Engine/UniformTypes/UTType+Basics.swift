extension UTType {
  /// Any item of a file system. `public.item`
  public static var item: UTType { UTType(core: "public.item") }
  /// A stream of bytes. `public.data`
  public static var data: UTType { UTType(core: "public.data") }
  /// A directory of any kind. `public.directory`
  public static var directory: UTType { UTType(core: "public.directory") }
  /// A directory that file managers show as a folder. `public.folder`
  public static var folder: UTType { UTType(core: "public.folder") }
  /// A volume, a file system as a whole. `public.volume`
  public static var volume: UTType { UTType(core: "public.volume") }
  /// A directory that is shown as one file; the supertype of package documents. `com.apple.package`
  public static var package: UTType { UTType(core: "com.apple.package") }
  /// A directory with a structure that a bundle prescribes. `com.apple.bundle`
  public static var bundle: UTType { UTType(core: "com.apple.bundle") }
  /// An item that leads to another one. `com.apple.resolvable`
  public static var resolvable: UTType { UTType(core: "com.apple.resolvable") }
  /// A symbolic link. `public.symlink`
  public static var symbolicLink: UTType { UTType(core: "public.symlink") }
  /// A place where a volume is mounted. `com.apple.mount-point`
  public static var mountPoint: UTType { UTType(core: "com.apple.mount-point") }
  /// An alias file. `com.apple.alias-file`
  public static var aliasFile: UTType { UTType(core: "com.apple.alias-file") }
  /// Bookmark data. `com.apple.bookmark`
  public static var urlBookmarkData: UTType { UTType(core: "com.apple.bookmark") }
  /// Any content of a document; the supertype of documents. `public.content`
  public static var content: UTType { UTType(core: "public.content") }
  /// Content that is made of several kinds of content. `public.composite-content`
  public static var compositeContent: UTType { UTType(core: "public.composite-content") }
}

extension UTType {
  /// A program or script that can be run. `public.executable`
  public static var executable: UTType { UTType(core: "public.executable") }
  /// A program file of Unix. `public.unix-executable`
  public static var unixExecutable: UTType { UTType(core: "public.unix-executable") }
  /// A program file of Windows. `com.microsoft.windows-executable`
  public static var exe: UTType { UTType(core: "com.microsoft.windows-executable") }
  /// An application. `com.apple.application`
  public static var application: UTType { UTType(core: "com.apple.application") }
  /// An application that is a bundle. `com.apple.application-bundle`
  public static var applicationBundle: UTType { UTType(core: "com.apple.application-bundle") }
  /// An extension of an application. `com.apple.application-and-system-extension`
  public static var applicationExtension: UTType {
    UTType(core: "com.apple.application-and-system-extension")
  }
  /// A framework bundle. `com.apple.framework`
  public static var framework: UTType { UTType(core: "com.apple.framework") }
  /// A plug-in bundle. `com.apple.plugin`
  public static var pluginBundle: UTType { UTType(core: "com.apple.plugin") }
  /// A plug-in that reads metadata for search. `com.apple.metadata-importer`
  public static var spotlightImporter: UTType { UTType(core: "com.apple.metadata-importer") }
  /// A plug-in that makes previews. `com.apple.quicklook-generator`
  public static var quickLookGenerator: UTType { UTType(core: "com.apple.quicklook-generator") }
  /// A service bundle. `com.apple.xpc-service`
  public static var xpcService: UTType { UTType(core: "com.apple.xpc-service") }
  /// A pane of system preferences. `com.apple.systempreference.prefpane`
  public static var systemPreferencesPane: UTType { UTType(core: "com.apple.systempreference.prefpane") }
}

extension UTType {
  /// An archive of files. `public.archive`
  public static var archive: UTType { UTType(core: "public.archive") }
  /// A ZIP archive. `public.zip-archive`
  public static var zip: UTType { UTType(core: "public.zip-archive") }
  /// Data that is compressed with gzip. `org.gnu.gnu-zip-archive`
  public static var gzip: UTType { UTType(core: "org.gnu.gnu-zip-archive") }
  /// Data that is compressed with bzip2. `public.bzip2-archive`
  public static var bz2: UTType { UTType(core: "public.bzip2-archive") }
  /// A tar archive. `public.tar-archive`
  public static var tarArchive: UTType { UTType(core: "public.tar-archive") }
  /// An Apple Archive. `com.apple.archive`
  public static var appleArchive: UTType { UTType(core: "com.apple.archive") }
  /// An image of a disk. `public.disk-image`
  public static var diskImage: UTType { UTType(core: "public.disk-image") }
}

extension UTType {
  /// An address. `public.url`
  public static var url: UTType { UTType(core: "public.url") }
  /// An address of a file. `public.file-url`
  public static var fileURL: UTType { UTType(core: "public.file-url") }
  /// A bookmark. `public.bookmark`
  public static var bookmark: UTType { UTType(core: "public.bookmark") }
  /// A file that leads to a web address. `com.apple.internet-location`
  public static var internetLocation: UTType { UTType(core: "com.apple.internet-location") }
  /// A file of Windows that leads to a web address. `com.microsoft.internet-shortcut`
  public static var internetShortcut: UTType { UTType(core: "com.microsoft.internet-shortcut") }
}
