import DurableIO

// What a synchronisation puts on the medium.
//
// (1) A file's synchronisation keeps its bytes and attributes, never its name.
// (2) A directory's synchronisation keeps its entries, all of them as they are now, and the attributes of the
//     symbolic links among them.
// (3) Of a rename between two directories each keeps its own half: synchronising the destination alone leaves
//     both names, synchronising the source alone leaves none. A directory's rename is kept whole by either.
// (4) An exchange is one change, kept whole by either directory.
// (5) A file's synchronisation of its data keeps its bytes and leaves attributes that were set before as they
//     were; of a directory, it is one like any other.
// (6) What was kept is never undone by an earlier change that reaches the medium later.

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

  /// Puts everything on the medium, as `sync(2)` and some patience would.
  mutating func synchronizeAll() {
    pending = []
    for number in nodes.keys {
      nodes[number]?.keep()
      if let entries = nodes[number]?.entries { nodes[number]?.keptEntries = entries }
    }
  }

  /// Gives up nodes that neither a program nor a power cut can bring back.
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

    // Backwards, so that (6) is a look at what later changes of the same name have had kept.
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
