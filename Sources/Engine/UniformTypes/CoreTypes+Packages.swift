extension CoreTypes {
  /// Packages: the documents, libraries, projects and bundles that are directories.
  ///
  /// The identifiers are those of the programs that own the types. The table omits extensions that plain folders have,
  /// too, such as `lproj`, `sdk`, `menu` or `template`.
  package static let packages = """
    com.apple.iwork.keynote.key | com.apple.package public.presentation | key | | Keynote presentation
    com.apple.iwork.keynote.sffkey | public.data public.presentation | key | \
    application/vnd.apple.keynote application/x-iwork-keynote-sffkey | Keynote presentation
    com.apple.iwork.keynote.kth | com.apple.package public.presentation | kth | | Keynote theme
    com.apple.iwork.keynote.sffkth | public.data public.presentation | kth | \
    application/x-iwork-keynote-sffkth | Keynote theme
    com.apple.iwork.pages.pages | com.apple.package public.composite-content | pages | | Pages document
    com.apple.iwork.pages.sffpages | public.data public.composite-content | pages | \
    application/vnd.apple.pages application/x-iwork-pages-sffpages | Pages document
    com.apple.iwork.numbers.numbers | com.apple.package public.spreadsheet | numbers | | Numbers spreadsheet
    com.apple.iwork.numbers.sffnumbers | public.data public.spreadsheet | numbers | \
    application/vnd.apple.numbers application/x-iwork-numbers-sffnumbers | Numbers spreadsheet
    com.apple.iwork.numbers.template | com.apple.package public.spreadsheet | nmbtemplate | | Numbers template
    com.apple.iwork.numbers.sfftemplate | public.data public.spreadsheet | nmbtemplate | \
    application/x-iwork-numbers-sfftemplate | Numbers template
    com.literatureandlatte.scrivener3.scriv | com.apple.package public.composite-content | scriv | | \
    Scrivener project
    com.omnigroup.omnioutliner.oo3-package | com.apple.package public.composite-content | oo3 | | \
    OmniOutliner 3 document
    com.omnigroup.omnioutliner.xmlooutline-package | com.apple.package public.composite-content | ooutline | | \
    OmniOutliner document
    com.omnigroup.omnioutliner.oo3template-package | com.apple.package public.composite-content | \
    oo3template | | OmniOutliner 3 template
    com.omnigroup.omnigraffle.graffle-package | com.apple.package public.composite-content | graffle | | \
    OmniGraffle drawing
    com.omnigroup.omnigraffle.gstencil-package | com.apple.package public.composite-content | gstencil | | \
    OmniGraffle stencil
    com.omnigroup.omnigraffle.template-package | com.apple.package public.composite-content | gtemplate | | \
    OmniGraffle template
    com.pixelmatorteam.pixelmator.document.package | com.apple.package public.content | pxd | | \
    Pixelmator Pro document
    com.pixelmatorteam.pixelmator.document-package | com.apple.package public.content | pxm | | \
    Pixelmator document
    com.apple.ibooks-folder | com.apple.package public.composite-content | ibooks | | book of Apple Books, folder
    com.apple.ibooks-container | public.data public.composite-content | ibooks | \
    application/x-ibooks+zip | book of Apple Books

    com.apple.garageband.project | com.apple.package public.content | band gbproj | | GarageBand project
    com.apple.logicx.project | com.apple.package public.content | logicx | | Logic Pro project
    com.apple.imovielibrary | com.apple.package | imovielibrary | | iMovie library
    com.apple.imovietheater | com.apple.package | theater | | iMovie Theater
    com.apple.photos.library | com.apple.package | photoslibrary | | Photos library
    com.apple.photo.library | com.apple.package | photolibrary | | iPhoto library
    com.apple.aperture.library | com.apple.package | aplibrary | | Aperture library
    com.apple.music.library | com.apple.package | musiclibrary | | Music library
    com.apple.tv.library | com.apple.package | tvlibrary | | TV library
    com.apple.live-photo-bundle | com.apple.bundle com.apple.package public.composite-content | pvt | | \
    Live Photo bundle
    public.avchd-collection | com.apple.package | avchd | | AVCHD collection
    com.apple.tv.movpkg | com.apple.package | movpkg | | downloaded movie
    com.apple.music.itlp | com.apple.package | itlp | | iTunes LP
    com.apple.quicktimeplayerx-composition-bundle | com.apple.package | qtpxcomposition | | \
    QuickTime Player composition

    com.apple.mail.mbox | com.apple.package | mbox | | Mail mailbox
    com.apple.ical.backup-package | com.apple.package | icbu | | Calendar backup
    com.apple.safari.download | com.apple.package | download | | Safari download
    com.apple.localized-pdf-bundle | com.apple.bundle com.apple.package public.composite-content | lpdf | | \
    localized PDF
    com.apple.pkpass | com.apple.bundle com.apple.package | pkpass | | Wallet pass, folder
    com.apple.pkpass-data | public.data | pkpass | application/vnd.apple.pkpass | Wallet pass
    com.apple.disk-image-sparse-bundle | com.apple.package | sparsebundle backupbundle | | sparse bundle disk image
    com.vmware.vm-package | com.apple.bundle com.apple.package | vmwarevm | | VMware virtual machine
    com.apple.automator-workflow | com.apple.package | workflow | | Automator workflow
    com.apple.logarchive | com.apple.package | logarchive | | log archive
    com.macromates.textmate.bundle | com.apple.package | tmbundle | | TextMate bundle
    com.barebones.bbedit.project | com.apple.package | bbprojectd | | BBEdit project
    com.barebones.bbedit.package | com.apple.package | bbpackage | | BBEdit package

    com.apple.xcode.project | com.apple.package | xcodeproj | | Xcode project
    com.apple.dt.document.workspace | com.apple.package | xcworkspace | | Xcode workspace
    com.apple.dt.playground | com.apple.package | playground | | Xcode playground
    com.apple.dt.playgroundpage | com.apple.package | xcplaygroundpage | | Xcode playground page
    com.apple.playgroundbook | com.apple.package | playgroundbook | | playground book
    com.apple.swiftpm | com.apple.package | swiftpm | | app playground
    com.apple.dt.assetcatalog | com.apple.package | xcassets | | asset catalog
    com.apple.dt.stickers | com.apple.package | xcstickers | | sticker catalog
    com.apple.dt.messages-sticker-pack | com.apple.package | stickerpack | | sticker pack
    com.apple.scenekit.assetcatalog | com.apple.package | scnassets | | SceneKit asset catalog
    com.apple.xcode.model | com.apple.package | xcdatamodel | | Core Data model
    com.apple.xcode.model.data-version | com.apple.package | xcdatamodeld | | versioned Core Data model
    com.apple.xcode.model.data-mapping | com.apple.package | xcmappingmodel | | Core Data mapping model
    com.apple.dt.interfacebuilder.document.storyboard.package | com.apple.package | storyboardc | | \
    compiled storyboard
    com.apple.coreml.mlpackage | com.apple.package | mlpackage | | Core ML model package
    com.apple.coreml.mlmodelc | com.apple.package | mlmodelc | | compiled Core ML model
    com.apple.createml.project | com.apple.package | mlproj | | Create ML project
    com.apple.realitycomposerpro | com.apple.package | realitycomposerpro | | Reality Composer Pro project
    com.apple.xcode.archive | com.apple.package | xcarchive | | Xcode archive
    com.apple.xcode.resultbundle | com.apple.package | xcresult | | Xcode test results
    com.apple.dt.xctestproductscontenttype | com.apple.package | xctestproducts | | Xcode test products
    com.apple.xcode.appdata | com.apple.package | xcappdata | | app data of Xcode
    com.apple.xcode.dsym | com.apple.package | dsym | | debug symbols
    com.apple.xcode.docset | com.apple.package | docset | | documentation set
    com.apple.documentation.doccarchive | com.apple.package | doccarchive | | documentation archive
    com.apple.instruments.trace | com.apple.package | trace | | Instruments trace
    com.apple.xcframework | com.apple.package | xcframework | | XCFramework
    com.apple.dt.document.toolchain | com.apple.package | xctoolchain | | Xcode toolchain

    com.apple.generic-bundle | com.apple.bundle com.apple.package | bundle | | bundle
    com.apple.kernel-extension | com.apple.bundle com.apple.package | kext | | kernel extension
    com.apple.driver-extension | com.apple.bundle com.apple.package | dext | | driver extension
    com.apple.system-extension | com.apple.bundle com.apple.package | systemextension | | system extension
    com.apple.systempreference.screen-saver | com.apple.bundle com.apple.package | saver | | screen saver
    com.apple.systempreference.screen-slide-saver | com.apple.bundle com.apple.package | slidesaver | | \
    screen slide saver
    com.apple.dashboard-widget | com.apple.bundle com.apple.package | wdgt | | Dashboard widget
    com.apple.installer-package | com.apple.bundle com.apple.package | pkg | | installer package, folder
    com.apple.installer-meta-package | com.apple.bundle com.apple.package | mpkg | | \
    installer metapackage, folder
    com.apple.installer-package-archive | public.archive | pkg mpkg | | installer package
    com.apple.pluginkit | com.apple.bundle com.apple.package | pluginkit | | PlugInKit plug-in
    com.apple.webkit-plugin | com.apple.plugin | webplugin | | WebKit plug-in
    com.apple.xcode.plugin | com.apple.plugin | xcplugin | | Xcode plug-in
    com.apple.dt.ide.plug-in | com.apple.plugin | ideplugin | | Xcode IDE plug-in
    com.apple.dt.dvt.plug-in | com.apple.plugin | dvtplugin | | Xcode development plug-in
    com.apple.interfacebuilder.plugin | com.apple.plugin | ibplugin | | Interface Builder plug-in
    com.apple.dt.bundle.unit-test | com.apple.bundle com.apple.package | xctest octest | | test bundle
    """

  /// Extensions of packages whose types have no known identifier. Their types are dynamic ones that conform to
  /// `com.apple.package`.
  ///
  /// They belong to Final Cut Pro, Lightroom, Capture One, UTM, Parallels Desktop, DocC, Xcode's localizations and
  /// audio plug-ins.
  package static let packageExtensions: Set<String> = [
    "cocatalog", "docc", "fcpbundle", "fcpxmld", "lrdata", "lrlibrary", "pvm", "utm", "vst", "vst3", "xcloc",
  ]
}
