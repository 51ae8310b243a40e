extension CoreTypes {
  /// Images, sound, film and three-dimensional scenes.
  package static let media = """
    public.image | public.data public.content | | | image
    public.png | public.image | png | image/png | PNG image
    public.jpeg | public.image | jpeg jpg jpe | image/jpeg image/jpg | JPEG image
    public.jpeg-2000 | public.image | jp2 jpf jpx j2k | image/jp2 | JPEG 2000 image
    public.jpeg-xl | public.image | jxl | image/jxl | JPEG XL image
    com.compuserve.gif | public.image | gif | image/gif | GIF image
    public.tiff | public.image | tiff tif | image/tiff | TIFF image
    com.microsoft.bmp | public.image | bmp dib | image/bmp image/x-ms-bmp | BMP image
    com.microsoft.ico | public.image | ico | image/vnd.microsoft.icon image/x-icon | Windows icon
    com.microsoft.cur | public.image | cur | image/x-win-bitmap | Windows cursor
    com.apple.icns | public.image | icns | image/x-icns | Apple icon image
    org.webmproject.webp | public.image | webp | image/webp | WebP image
    public.heif-standard | public.image | | | HEIF image container
    public.heif | public.heif-standard | heif hif | image/heif | HEIF image
    public.heic | public.heif-standard | heic | image/heic | HEIC image
    public.heics | public.heif-standard | heics | image/heic-sequence | HEIC image sequence
    public.avif | public.image | avif | image/avif | AVIF image
    public.svg-image | public.image public.xml | svg | image/svg+xml | SVG image
    com.ilm.openexr-image | public.image | exr | image/x-exr image/aces | OpenEXR image
    public.radiance | public.image | hdr | image/vnd.radiance | Radiance image
    public.camera-raw-image | public.image | | | camera raw image
    com.adobe.raw-image | public.camera-raw-image | dng | image/x-adobe-dng image/dng | digital negative
    com.canon.cr2-raw-image | public.camera-raw-image | cr2 | image/x-canon-cr2 | Canon CR2 raw image
    com.canon.cr3-raw-image | public.camera-raw-image | cr3 | image/x-canon-cr3 | Canon CR3 raw image
    com.nikon.raw-image | public.camera-raw-image | nef | image/x-nikon-nef | Nikon raw image
    com.sony.arw-raw-image | public.camera-raw-image | arw | image/x-sony-arw | Sony raw image
    com.adobe.photoshop-image | public.image | psd | image/vnd.adobe.photoshop | Photoshop image
    com.truevision.tga-image | public.image | tga | image/x-tga | TGA image
    public.pbm | public.image | pbm pgm ppm pnm | image/x-portable-anymap | portable bitmap image
    com.apple.live-photo | public.data public.composite-content | | | Live Photo

    public.audiovisual-content | public.data public.content | | | audiovisual content
    public.movie | public.audiovisual-content | | | movie
    public.video | public.movie | | | video
    public.audio | public.audiovisual-content | | | audio
    com.apple.quicktime-movie | public.movie | mov qt | video/quicktime | QuickTime movie
    public.mpeg-4 | public.movie | mp4 mpg4 | video/mp4 | MPEG-4 movie
    com.apple.m4v-video | public.movie | m4v | video/x-m4v | M4V movie
    com.apple.protected-mpeg-4-video | com.apple.m4v-video | | | protected MPEG-4 movie
    public.mpeg | public.movie | mpg mpeg mpe | video/mpeg | MPEG movie
    public.mpeg-2-video | public.video | m2v mpeg2 | video/mpeg2 | MPEG-2 video
    public.mpeg-2-transport-stream | public.movie | ts m2ts | video/mp2t | MPEG-2 transport stream
    public.avi | public.movie | avi vfw | video/x-msvideo video/avi video/vnd.avi | AVI movie
    public.3gpp | public.movie | 3gp 3gpp | video/3gpp audio/3gpp | 3GPP movie
    public.3gpp2 | public.movie | 3g2 3gp2 | video/3gpp2 audio/3gpp2 | 3GPP2 movie
    public.dv-movie | public.movie | dv | video/x-dv video/dv | DV movie
    org.webmproject.webm | public.movie | webm | video/webm | WebM movie
    org.matroska.mkv | public.movie | mkv | video/x-matroska video/matroska | Matroska movie
    org.xiph.ogg-video | public.movie | ogv | video/ogg | Ogg video
    com.microsoft.windows-media-wmv | public.movie | wmv | video/x-ms-wmv | Windows Media video
    com.adobe.flash.video | public.movie | flv | video/x-flv | Flash video

    public.mp3 | public.audio | mp3 | audio/mpeg audio/mp3 audio/x-mp3 | MP3 audio
    public.mpeg-4-audio | public.audio | mp4a | audio/mp4 | MPEG-4 audio
    com.apple.m4a-audio | public.mpeg-4-audio | m4a | audio/x-m4a | Apple MPEG-4 audio
    com.apple.protected-mpeg-4-audio | public.audio | m4p | | protected MPEG-4 audio
    public.aac-audio | public.audio | aac adts | audio/aac audio/x-aac | AAC audio
    public.ac3-audio | public.audio | ac3 | audio/ac3 | AC-3 audio
    public.aiff-audio | public.audio | aiff aif | audio/aiff audio/x-aiff | AIFF audio
    public.aifc-audio | public.aiff-audio | aifc | audio/x-aifc | AIFF-C audio
    com.microsoft.waveform-audio | public.audio | wav wave | \
    audio/wav audio/x-wav audio/vnd.wave audio/wave | WAVE audio
    com.apple.coreaudio-format | public.audio | caf | audio/x-caf | Core Audio
    org.xiph.flac | public.audio | flac | audio/flac audio/x-flac | FLAC audio
    org.xiph.ogg-audio | public.audio | oga ogg | audio/ogg | Ogg audio
    org.xiph.opus | public.audio | opus | audio/opus | Opus audio
    com.microsoft.windows-media-wma | public.audio | wma | audio/x-ms-wma | Windows Media audio
    public.au-audio | public.audio | au snd | audio/basic | AU audio
    public.midi-audio | public.audio | mid midi smf kar | audio/midi audio/x-midi | MIDI

    public.playlist | public.content | | | playlist
    public.m3u-playlist | public.text public.playlist | m3u m3u8 | \
    audio/x-mpegurl audio/mpegurl application/vnd.apple.mpegurl | M3U playlist

    public.3d-content | public.content | | | 3D content
    com.pixar.universal-scene-description | public.data public.3d-content | usd usda usdc | \
    model/vnd.usda | Universal Scene Description
    com.pixar.universal-scene-description-mobile | public.data public.3d-content | usdz | \
    model/vnd.usdz+zip | Universal Scene Description package
    com.apple.reality | public.data public.3d-content | reality | model/vnd.reality | reality file
    com.apple.scenekit.scene | public.data public.3d-content | scn | | SceneKit scene
    com.apple.arobject | public.data | arobject | | AR reference object
    org.khronos.gltf | public.json public.3d-content | gltf | model/gltf+json | glTF scene
    org.khronos.glb | public.data public.3d-content | glb | model/gltf-binary | binary glTF scene
    public.geometry-definition-format | public.data public.3d-content | obj | model/obj | OBJ geometry
    public.standard-tesselated-geometry-format | public.data public.3d-content | stl | \
    model/stl | STL geometry
    """
}

extension UTType {
  /// An image of any format. `public.image`
  public static var image: UTType { UTType(core: "public.image") }
  /// A PNG image. `public.png`
  public static var png: UTType { UTType(core: "public.png") }
  /// A JPEG image. `public.jpeg`
  public static var jpeg: UTType { UTType(core: "public.jpeg") }
  /// A JPEG XL image. `public.jpeg-xl`
  public static var jpegxl: UTType { UTType(core: "public.jpeg-xl") }
  /// A GIF image. `com.compuserve.gif`
  public static var gif: UTType { UTType(core: "com.compuserve.gif") }
  /// A TIFF image. `public.tiff`
  public static var tiff: UTType { UTType(core: "public.tiff") }
  /// A Windows bitmap. `com.microsoft.bmp`
  public static var bmp: UTType { UTType(core: "com.microsoft.bmp") }
  /// A Windows icon. `com.microsoft.ico`
  public static var ico: UTType { UTType(core: "com.microsoft.ico") }
  /// An Apple icon. `com.apple.icns`
  public static var icns: UTType { UTType(core: "com.apple.icns") }
  /// A WebP image. `org.webmproject.webp`
  public static var webP: UTType { UTType(core: "org.webmproject.webp") }
  /// A HEIF image. `public.heif`
  public static var heif: UTType { UTType(core: "public.heif") }
  /// A HEIC image. `public.heic`
  public static var heic: UTType { UTType(core: "public.heic") }
  /// An SVG image. `public.svg-image`
  public static var svg: UTType { UTType(core: "public.svg-image") }
  /// An OpenEXR image. `com.ilm.openexr-image`
  public static var exr: UTType { UTType(core: "com.ilm.openexr-image") }
  /// The raw image of a camera. `public.camera-raw-image`
  public static var rawImage: UTType { UTType(core: "public.camera-raw-image") }
  /// A digital negative. `com.adobe.raw-image`
  public static var dng: UTType { UTType(core: "com.adobe.raw-image") }
  /// A Live Photo. `com.apple.live-photo`
  public static var livePhoto: UTType { UTType(core: "com.apple.live-photo") }
}

extension UTType {
  /// Anything that can be played: sound, film or both. `public.audiovisual-content`
  public static var audiovisualContent: UTType { UTType(core: "public.audiovisual-content") }
  /// Film, with or without sound. `public.movie`
  public static var movie: UTType { UTType(core: "public.movie") }
  /// Film without sound. `public.video`
  public static var video: UTType { UTType(core: "public.video") }
  /// Sound. `public.audio`
  public static var audio: UTType { UTType(core: "public.audio") }
  /// A QuickTime movie. `com.apple.quicktime-movie`
  public static var quickTimeMovie: UTType { UTType(core: "com.apple.quicktime-movie") }
  /// An MPEG-1 or MPEG-2 movie. `public.mpeg`
  public static var mpeg: UTType { UTType(core: "public.mpeg") }
  /// MPEG-2 video. `public.mpeg-2-video`
  public static var mpeg2Video: UTType { UTType(core: "public.mpeg-2-video") }
  /// An MPEG-2 transport stream. `public.mpeg-2-transport-stream`
  public static var mpeg2TransportStream: UTType { UTType(core: "public.mpeg-2-transport-stream") }
  /// An MPEG-4 movie. `public.mpeg-4`
  public static var mpeg4Movie: UTType { UTType(core: "public.mpeg-4") }
  /// A protected MPEG-4 movie. `com.apple.protected-mpeg-4-video`
  public static var appleProtectedMPEG4Video: UTType { UTType(core: "com.apple.protected-mpeg-4-video") }
  /// An AVI movie. `public.avi`
  public static var avi: UTType { UTType(core: "public.avi") }
  /// MP3 audio. `public.mp3`
  public static var mp3: UTType { UTType(core: "public.mp3") }
  /// MPEG-4 audio. `public.mpeg-4-audio`
  public static var mpeg4Audio: UTType { UTType(core: "public.mpeg-4-audio") }
  /// Protected MPEG-4 audio. `com.apple.protected-mpeg-4-audio`
  public static var appleProtectedMPEG4Audio: UTType { UTType(core: "com.apple.protected-mpeg-4-audio") }
  /// AIFF audio. `public.aiff-audio`
  public static var aiff: UTType { UTType(core: "public.aiff-audio") }
  /// WAVE audio. `com.microsoft.waveform-audio`
  public static var wav: UTType { UTType(core: "com.microsoft.waveform-audio") }
  /// MIDI. `public.midi-audio`
  public static var midi: UTType { UTType(core: "public.midi-audio") }
  /// A playlist. `public.playlist`
  public static var playlist: UTType { UTType(core: "public.playlist") }
  /// An M3U playlist. `public.m3u-playlist`
  public static var m3uPlaylist: UTType { UTType(core: "public.m3u-playlist") }
}

extension UTType {
  /// A three-dimensional scene. `public.3d-content`
  public static var threeDContent: UTType { UTType(core: "public.3d-content") }
  /// Universal Scene Description. `com.pixar.universal-scene-description`
  public static var usd: UTType { UTType(core: "com.pixar.universal-scene-description") }
  /// Universal Scene Description in one file with its assets. `com.pixar.universal-scene-description-mobile`
  public static var usdz: UTType { UTType(core: "com.pixar.universal-scene-description-mobile") }
  /// A reality file. `com.apple.reality`
  public static var realityFile: UTType { UTType(core: "com.apple.reality") }
  /// A SceneKit scene. `com.apple.scenekit.scene`
  public static var sceneKitScene: UTType { UTType(core: "com.apple.scenekit.scene") }
  /// A reference object for augmented reality. `com.apple.arobject`
  public static var arReferenceObject: UTType { UTType(core: "com.apple.arobject") }
}
