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
