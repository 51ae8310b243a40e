/// An xz stream made byte by byte, with uncompressed content.
struct ForgedXZ {
  var content: [UInt8]
  /// The dictionary size in the block's header; 40 is 4 GiB, 0 is 4 KiB.
  var dictionary: UInt8 = 8

  var bytes: [UInt8] {
    let flags: [UInt8] = [0, 0]
    let header = [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0] + flags + little(checksum(flags))
    var block: [UInt8] = [2, 0, 0x21, 1, dictionary, 0, 0, 0]
    block += little(checksum(block))
    let data = chunks
    let padding = [UInt8](repeating: 0, count: (4 - data.count % 4) % 4)
    var index = [0, 1] + number(block.count + data.count) + number(content.count)
    index += [UInt8](repeating: 0, count: (4 - index.count % 4) % 4)
    index += little(checksum(index))
    let backward = little(UInt32(index.count / 4 - 1)) + flags
    return header + block + data + padding + index + little(checksum(backward)) + backward + Array("YZ".utf8)
  }

  private var chunks: [UInt8] {
    var chunks: [UInt8] = []
    for start in stride(from: 0, to: content.count, by: 1 << 16) {
      let piece = content[start..<min(content.count, start + 1 << 16)]
      let size = UInt16(piece.count - 1)
      chunks += [start == 0 ? 1 : 2, UInt8(size >> 8), UInt8(size & 0xFF)] + piece
    }
    return chunks + [0]
  }

  private func number(_ number: Int) -> [UInt8] {
    var (rest, bytes): (Int, [UInt8]) = (number, [])
    while rest >= 0x80 {
      bytes.append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    return bytes + [UInt8(rest)]
  }
}
