import Documents
import FilePackages

/// The merged images of two documents with a common origin.
struct ImageMerge {
  private(set) var images: [ImageNotes.Image] = []
  private(set) var conflicts: [MergeConflict] = []

  /// - Parameter names: the names that no image can have.
  init(
    base: [ImageNotes.Image], ours: [ImageNotes.Image], theirs: [ImageNotes.Image], besides names: [String]
  ) throws {
    var own = ours
    let before = Self.byPath(base)
    var merged: [PackagePath: ImageNotes.Image] = [:]
    let others = Self.byPath(theirs)
    // A tree gives the second of two names that are equal as strings another name.
    let similar = Dictionary(theirs.map { ($0.path, $0) }) { first, _ in first }
    for index in own.indices {
      // Two different new pictures with one name are two images.
      let (place, path) = (own[index].place, own[index].path)
      guard before[place] == nil, let other = others[place] ?? similar[path],
        try other.place != place || !own[index].hasSamePicture(as: other)
      else { continue }
      let taken = names + (own + theirs).map(\.name)
      own[index] = try own[index].moved(toNameAmongst: taken)
    }
    let mine = Self.byPath(own)
    for path in Set(mine.keys).union(others.keys).sorted() {
      if let image = try merge(path, before[path], mine[path], others[path]) { merged[path] = image }
    }
    let order = OrderMerge(
      base: base.map(\.place), ours: own.map(\.place), theirs: theirs.map(\.place), staying: Set(merged.keys))
    if order.isConflict { conflicts.append(MergeConflict(Layout.list, .bothMoved, kept: .ours)) }
    images = order.elements.compactMap { merged[$0] }
  }

  private static func byPath(_ images: [ImageNotes.Image]) -> [PackagePath: ImageNotes.Image] {
    Dictionary(images.map { ($0.place, $0) }) { first, _ in first }
  }

  /// Returns the merged image of one path, nil if none stays.
  private mutating func merge(
    _ place: PackagePath, _ base: ImageNotes.Image?, _ own: ImageNotes.Image?, _ other: ImageNotes.Image?
  ) throws -> ImageNotes.Image? {
    let path = place.string
    guard let own, let other else {
      switch try PathMerge.outcome(of: .init(base: base, ours: own, theirs: other)) {
      case .keep(.theirs): conflicts.append(MergeConflict(path, .removedByUs, kept: .theirs))
      case .keep(.ours):
        // If the picture's file was removed with it, only its caption is left.
        let isThere = try own?.isPresent == true
        conflicts.append(MergeConflict(path, .removedByThem, kept: isThere ? .ours : .theirs))
        return isThere ? try own?.detached() : nil
      case .take(.ours): return try own?.detached()
      case .take(.theirs), .takeBytes, .mergeBytes, .conflict: break
      }
      return other
    }
    let caption = mergedValue(base: base?.caption, ours: own.caption, theirs: other.caption)
    let picture: ImageNotes.Image
    var isConflict = caption.isConflict
    if try own.hasSamePicture(as: other) {
      picture = other
    } else if let base, try own.hasSamePicture(as: base) {
      picture = other
    } else {
      let isOurs = try base.map { try other.hasSamePicture(as: $0) } ?? false
      isConflict = isConflict || !isOurs
      picture = try own.detached()
    }
    if isConflict {
      conflicts.append(MergeConflict(path, base == nil ? .bothAdded : .bothChanged, kept: .ours))
    }
    var image = picture
    image.caption = caption.value ?? own.caption
    return image
  }
}

extension ImageNotes.Image: MergeEntry {
  /// Returns whether both have the same picture and the same caption.
  package func hasSameBytes(as other: ImageNotes.Image) throws -> Bool {
    try caption == other.caption && hasSamePicture(as: other)
  }
}

extension ImageNotes.Image {
  /// Returns whether both are the same picture.
  fileprivate func hasSamePicture(as other: ImageNotes.Image) throws -> Bool {
    if case .stored(let own) = source, case .stored(let others) = other.source, own === others { return true }
    // A picture that is gone from the disk cannot be lost by the merge.
    return try unlessGone { try file().hasSameContents(as: other.file()) } ?? false
  }

  /// Whether no other program has removed or replaced the picture's file.
  fileprivate var isPresent: Bool {
    get throws { try unlessGone { try file().withRandomAccess { _, _ in } } != nil }
  }

  /// Returns the same image as a new one for another tree.
  fileprivate func detached() throws -> ImageNotes.Image {
    var image = self
    if !isNew { image.source = .new(try file().copy()) }
    return image
  }

  fileprivate func moved(toNameAmongst taken: [String]) throws -> ImageNotes.Image {
    var image = try detached()
    image.name = FreeName.of(name, try header().format, amongst: taken)
    return image
  }
}
