import DurableIO

extension Volume {
  /// The targets of the names if some of the pending changes become durable.
  struct Outcome: Sendable {
    /// The names in pending changes, and their targets.
    fileprivate(set) var names: [Slot: Node.Number?]
    /// The reachable nodes that a power cut can leave in more than one way.
    fileprivate(set) var open: [(number: Node.Number, remains: [Node.Remains])]
  }

  /// Applies the kept changes again, in order, to the durable state.
  ///
  /// The node that a change needs may be absent. A move of an absent node does nothing. An exchange changes both names
  /// even if one of them leads nowhere, so that a document can disappear from its name.
  /// - Parameter open: the nodes that may remain in more than one way.
  func outcome(keeping kept: (Int) -> Bool, open: [Node.Number: [Node.Remains]]) -> Outcome {
    var names: [Slot: Node.Number?] = [:]
    func holder(_ slot: Slot) -> Node.Number? {
      names[slot] ?? nodes[slot.directory]?.keptEntries[slot.name]
    }
    for (position, change) in pending.enumerated() where kept(position) {
      switch change {
      case .put(let slot, let node): names[slot] = .some(node)
      case .remove(let slot): names[slot] = .some(nil)
      case .forget(let slot, let node):
        if holder(slot) == node { names[slot] = .some(nil) }
      case .move(let from, let to, _, _):
        guard let node = holder(from) else { continue }
        names[from] = .some(nil)
        names[to] = .some(node)
      case .swap(let first, let second, _, _):
        let (firstNode, secondNode) = (holder(first), holder(second))
        names[first] = .some(secondNode)
        names[second] = .some(firstNode)
      }
    }
    return outcome(names, open)
  }

  /// The nodes without a sync, and the possible states of each.
  var openNodes: [Node.Number: [Node.Remains]] {
    nodes.filter { $0.value.isChanged }.mapValues(\.possibleRemains).filter { $0.value.count > 1 }
  }

  private func outcome(_ names: [Slot: Node.Number?], _ open: [Node.Number: [Node.Remains]]) -> Outcome {
    var outcome = Outcome(names: [:], open: [])
    let changed = Dictionary(grouping: names, by: \.key.directory)
    var seen: Set<Node.Number> = []
    var waiting = [Self.root]
    while let number = waiting.popLast() {
      guard seen.insert(number).inserted, let node = nodes[number] else { continue }
      if let remains = open[number] { outcome.open.append((number, remains)) }
      guard node.kind == .directory else { continue }
      let changes = changed[number] ?? []
      for (slot, holder) in changes {
        // A name with its old target makes no other outcome.
        if node.keptEntries[slot.name] != holder { outcome.names[slot] = .some(holder) }
        if let holder { waiting.append(holder) }
      }
      for (name, entry) in node.keptEntries {
        if changes.isEmpty || names[Slot(directory: number, name: name)] == nil { waiting.append(entry) }
      }
    }
    outcome.open.sort { $0.number < $1.number }
    return outcome
  }

  /// Returns the disk after the power cut: all of it is durable, and nothing is pending.
  func mounted(_ outcome: Outcome, remains: [Node.Number: Node.Remains]) -> Volume {
    var volume = self
    volume.nodes = [:]
    volume.pending = []
    volume.nameless = []
    let changed = Dictionary(grouping: outcome.names, by: \.key.directory)

    var waiting = [(slot: Slot(directory: Self.root, name: "/"), number: Self.root)]
    while let (slot, number) = waiting.popLast() {
      if let found = volume.nodes[number] {
        if found.kind != .directory { volume.nodes[number]?.links += 1 }
        continue
      }
      guard var node = nodes[number] else { continue }
      let remains = remains[number] ?? .everything
      node.bytes = node.content(of: remains)
      node.attributes = node.attributes(of: remains)
      node.keep()
      for (slot, holder) in changed[number] ?? [] { node.keptEntries[slot.name] = holder }
      node.entries = node.keptEntries
      node.home = slot
      node.links = node.kind == .directory ? 2 : 1
      volume.nodes[number] = node
      if node.kind == .directory, number != Self.root { volume.nodes[slot.directory]?.links += 1 }
      for (name, entry) in node.entries {
        waiting.append((Slot(directory: number, name: name), entry))
      }
    }
    // The disk gives the numbers of lost nodes out again, as file systems do.
    volume.nextNumber = (volume.nodes.keys.max() ?? Self.root) + 1
    return volume
  }
}
