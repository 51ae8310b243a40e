import DurableIO
import SystemPackage

/// One change of names, which a test applies again to the state after a power cut.
enum NameChange: Sendable, Hashable {
  /// A name for a node: a new one, a second one, or the destination half of a move.
  case put(Slot, Node.Number)
  /// The removal of a name, with any target.
  case remove(Slot)
  /// The source half of a move, which removes the old name: only from the moved node.
  case forget(Slot, Node.Number)
  /// A whole rename.
  ///
  /// A directory never has two names, so its rename is never split in halves.
  case move(from: Slot, to: Slot, Node.Number, isDirectory: Bool)
  /// An exchange of two names, and their nodes afterwards.
  case swap(Slot, Slot, Node.Number, Node.Number)
}

extension Volume {
  mutating func make(_ node: (FileTime) -> Node, at slot: Slot) throws(Errno) -> Node.Number {
    guard try holder(of: slot) == nil else { throw .fileExists }
    guard try directory(slot.directory).links > 0 else { throw .noSuchFileOrDirectory }
    try checkNew(slot.name)
    try checkAddition(to: slot.directory)
    let time = now()
    let number = nextNumber
    nextNumber += 1
    nodes[number] = node(time)
    if nodes[number]?.kind == .directory { nodes[slot.directory]?.links += 1 }
    set(slot, number, at: time)
    pending.append(.put(slot, number))
    return number
  }

  mutating func link(_ old: Slot, _ new: Slot) throws(Errno) {
    let number = try existing(old)
    guard try holder(of: new) == nil else { throw .fileExists }
    guard try node(number).kind != .directory else { throw .notPermitted }
    try checkNew(new.name)
    try checkAddition(to: new.directory)
    guard try directory(new.directory).links > 0 else { throw .noSuchFileOrDirectory }
    let time = now()
    nodes[number]?.links += 1
    nodes[number]?.attributes.changed = time
    set(new, number, at: time)
    pending.append(.put(new, number))
  }

  mutating func remove(_ slot: Slot, directory wanted: Bool) throws(Errno) {
    let number = try existing(slot)
    let node = try node(number)
    if wanted {
      guard node.kind == .directory else { throw .notDirectory }
      guard node.entries.isEmpty else { throw .directoryNotEmpty }
    } else {
      guard node.kind != .directory else { throw .isDirectory }
    }
    try checkRemoval(number, from: slot.directory)
    let time = now()
    set(slot, nil, at: time)
    dropLink(of: number, in: slot.directory, at: time)
    pending.append(.remove(slot))
  }

  mutating func rename(_ from: Slot, _ to: Slot, _ rule: RenameRule) throws(Errno) {
    let moved = try existing(from)
    let target = try holder(of: to)
    if rule == .noReplace, target != nil { throw .fileExists }
    if rule == .exchange, target == nil { throw .noSuchFileOrDirectory }
    try checkRemoval(moved, from: from.directory)
    if let target { try checkRemoval(target, from: to.directory) }
    if target == nil { try checkNew(to.name) }
    try checkAddition(to: to.directory)
    if isWithin(to.directory, moved) { throw .invalidArgument }
    if let target, isWithin(from.directory, target) {
      throw rule == .exchange ? .invalidArgument : .directoryNotEmpty
    }
    // If both names are of one file, nothing happens and both stay.
    if target == moved { return }
    guard try directory(to.directory).links > 0 else { throw .noSuchFileOrDirectory }
    if let target, rule == .exchange {
      exchange(from, moved, to, target)
    } else {
      try move(from, to, moved, over: target)
    }
  }

  private mutating func exchange(
    _ first: Slot, _ firstNode: Node.Number, _ second: Slot, _ secondNode: Node.Number
  ) {
    let time = now()
    set(first, secondNode, at: time)
    set(second, firstNode, at: time)
    changeParent(of: firstNode, from: first.directory, to: second.directory)
    changeParent(of: secondNode, from: second.directory, to: first.directory)
    nodes[firstNode]?.attributes.changed = time
    nodes[secondNode]?.attributes.changed = time
    pending.append(.swap(first, second, secondNode, firstNode))
  }

  private mutating func move(_ from: Slot, _ to: Slot, _ moved: Node.Number, over target: Node.Number?)
    throws(Errno)
  {
    let isDirectory = try node(moved).kind == .directory
    if let target {
      let replaced = try node(target)
      if isDirectory, replaced.kind != .directory { throw .notDirectory }
      if !isDirectory, replaced.kind == .directory { throw .isDirectory }
      if !replaced.entries.isEmpty { throw .directoryNotEmpty }
    }
    let time = now()
    set(from, nil, at: time)
    set(to, moved, at: time)
    if let target { dropLink(of: target, in: to.directory, at: time) }
    changeParent(of: moved, from: from.directory, to: to.directory)
    nodes[moved]?.attributes.changed = time
    pending.append(.move(from: from, to: to, moved, isDirectory: isDirectory))
  }

  /// Changes one entry of a directory, and with it the directory's times.
  private mutating func set(_ slot: Slot, _ number: Node.Number?, at time: FileTime) {
    nodes[slot.directory]?.entries[slot.name] = number
    nodes[slot.directory]?.attributes.modified = time
    nodes[slot.directory]?.attributes.changed = time
    if let number { nodes[number]?.home = slot }
  }

  private mutating func dropLink(of number: Node.Number, in directory: Node.Number, at time: FileTime) {
    if nodes[number]?.kind == .directory {
      nodes[number]?.links = 0
      nodes[directory]?.links -= 1
    } else {
      nodes[number]?.links -= 1
    }
    nodes[number]?.attributes.changed = time
    if nodes[number]?.links == 0 { nameless.insert(number) }
  }

  private mutating func changeParent(of number: Node.Number, from old: Node.Number, to new: Node.Number) {
    guard old != new, nodes[number]?.kind == .directory else { return }
    nodes[old]?.links -= 1
    nodes[new]?.links += 1
  }

  /// Returns whether a directory is the other one or lies within it.
  private func isWithin(_ directory: Node.Number, _ ancestor: Node.Number) -> Bool {
    var number = directory
    while number != ancestor {
      guard number != Self.root, let home = nodes[number]?.home else { return false }
      number = home.directory
    }
    return true
  }
}
