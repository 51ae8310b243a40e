/// The properties of one item, in the order in which they apply.
struct HEIFProperties {
  let boxes: [HEIFBox]

  /// Reads an `iprp` box. Its `ipco` holds the properties of all items. Its `ipma` names an item's properties by their
  /// number in `ipco`, counted from 1; 0 names none.
  init(
    _ reader: inout ImageHeaderReader, _ box: HEIFBox, item: UInt64
  ) throws(ImageHeaderError) {
    let children = try reader.boxes(in: box.body)
    guard let container = children.first(where: { $0.type == "ipco" }) else {
      throw .impossible(.heic, reason: "it has no properties and therefore no size")
    }
    var indices: [UInt64] = []
    for child in children where child.type == "ipma" {
      indices = try Self.indices(&reader, child, item: item)
      if !indices.isEmpty { break }
    }
    let properties = try reader.boxes(in: container.body)
    guard indices.allSatisfy({ $0 <= UInt64(properties.count) }) else {
      throw .impossible(.heic, reason: "its primary item has a property that is not there")
    }
    boxes = indices.filter { $0 > 0 }.map { properties[Int($0) - 1] }
  }

  /// Returns the numbers of an item's properties, at most 255; none if the box does not name the item.
  private static func indices(
    _ reader: inout ImageHeaderReader, _ box: HEIFBox, item: UInt64
  ) throws(ImageHeaderError) -> [UInt64] {
    let idSize = try reader.field(of: box, at: 0, bytes: 1) == 0 ? 2 : 4
    let indexSize = try reader.field(of: box, at: 3, bytes: 1) & 1 == 0 ? 1 : 2
    let indexMask: UInt64 = indexSize == 1 ? 0x7F : 0x7FFF
    var offset: UInt64 = 8
    for _ in 0..<(try reader.field(of: box, at: 4, bytes: 4)) {
      let id = try reader.field(of: box, at: offset, bytes: idSize)
      let count = Int(try reader.field(of: box, at: offset.adding(UInt64(idSize)), bytes: 1))
      offset = offset.adding(UInt64(idSize + 1))
      if id == item {
        var indices: [UInt64] = []
        for number in 0..<count {
          let position = offset.adding(UInt64(number * indexSize))
          indices.append(try reader.field(of: box, at: position, bytes: indexSize) & indexMask)
        }
        return indices
      }
      offset = offset.adding(UInt64(count * indexSize))
    }
    return []
  }
}
