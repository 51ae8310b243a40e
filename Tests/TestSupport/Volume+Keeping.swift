import DurableIO

// The durable effects of a sync.
//
// (1) A file's sync makes its bytes and attributes durable, never its name.
// (2) A directory's sync makes all its present entries durable, and the attributes of the symbolic links among them.
// (3) In a rename between two directories, each directory's sync makes its own half durable. A sync of the destination
//     alone leaves both names; a sync of the source alone leaves none. A sync of either makes a directory's rename
//     durable as a whole.
// (4) An exchange is one change; a sync of either directory makes it durable.
// (5) A sync of a file's data makes its bytes durable, and not the attributes that were set before. For a directory, it
//     is a sync like any other.
// (6) An earlier change that becomes durable later never undoes a durable one.

extension Volume {
  mutating func synchronize(_ number: Node.Number) {
    nodes[number]?.keep()
    guard let directory = nodes[number], directory.kind == .directory else { return }
    for entry in directory.entries.values where nodes[entry]?.kind == .symbolicLink { nodes[entry]?.keep() }
    keepEntries(of: number)
  }

  mutating func synchronizeData(_ number: Node.Number) {
    if nodes[number]?.kind == .directory { return synchronize(number) }
    nodes[number]?.keepBytes()
  }

  /// Makes everything durable, as `sync(2)` would after some time.
  mutating func synchronizeAll() {
    pending = []
    for number in nodes.keys {
      nodes[number]?.keep()
      if let entries = nodes[number]?.entries { nodes[number]?.keptEntries = entries }
    }
  }

  /// Drops nodes that neither a program nor a power cut can bring back.
  mutating func dropNameless(except open: some Sequence<Node.Number>) {
    guard pending.isEmpty, !nameless.isEmpty else { return }
    for number in nameless.subtracting(open) {
      nodes[number] = nil
      nameless.remove(number)
    }
  }

  private mutating func keepEntries(of directory: Node.Number) {
    var covered: [Slot: Node.Number?] = [:]
    func isCovered(_ slot: Slot) -> Bool { slot.directory == directory || covered[slot] != nil }
    var left: [NameChange] = []

    // The loop runs backwards, so that (6) only needs the later changes of the same name.
    for change in pending.reversed() {
      switch change {
      case .put(let slot, _), .remove(let slot), .forget(let slot, _):
        if !isCovered(slot) { left.append(change) }
      case .move(let from, let to, let node, let isDirectory):
        switch (isCovered(from), isCovered(to)) {
        case (true, true): break
        case (false, false): left.append(change)
        case (false, true) where isDirectory: covered[from] = .some(nil)
        case (true, false) where isDirectory: covered[to] = node
        case (false, true): left.append(.forget(from, node))
        case (true, false): left.append(.put(to, node))
        }
      case .swap(let first, let second, let firstNode, let secondNode):
        switch (isCovered(first), isCovered(second)) {
        case (true, true): break
        case (false, false): left.append(change)
        case (false, true): covered[first] = firstNode
        case (true, false): covered[second] = secondNode
        }
      }
    }

    pending = left.reversed()
    for (slot, node) in covered { nodes[slot.directory]?.keptEntries[slot.name] = node }
    if let entries = nodes[directory]?.entries { nodes[directory]?.keptEntries = entries }
  }
}
