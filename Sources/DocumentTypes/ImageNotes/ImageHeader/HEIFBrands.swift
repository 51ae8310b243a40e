/// The brands in the `ftyp` box at the beginning of a file.
struct HEIFBrands {
  /// Whether the file may be a HEIC: the first brand that names a codec names HEVC.
  ///
  /// If no brand names a codec, a file of any kind of HEIF may be one; its primary item decides then.
  let areHEVC: Bool

  /// Takes the first bytes of a file; brands behind them do not count.
  init(_ bytes: [UInt8]) {
    let boxSize = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    let box = bytes.prefix(boxSize)
    // The second four bytes behind the header are a version, not a brand.
    let brands = stride(from: 8, to: box.count - 3, by: 4).filter { $0 != 12 }
      .map { String(decoding: box[$0..<$0 + 4], as: UTF8.self) }
    let hevc = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"]
    let others = ["avif", "avis", "avci", "avcs", "jpeg", "jpgs", "j2ki", "j2is", "vvic", "vvis"]
    if let codec = brands.first(where: { hevc.contains($0) || others.contains($0) }) {
      areHEVC = hevc.contains(codec)
    } else {
      areHEVC = brands.contains("mif1") || brands.contains("msf1") || brands.contains("mif2")
    }
  }
}
