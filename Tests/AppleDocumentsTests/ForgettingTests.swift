import AppleDocuments
import TestSupport
import Testing

/// A value that calls its owner when it goes.
private final class Leaving {
  private let leave: (Leaving) -> Void

  init(_ leave: @escaping (Leaving) -> Void) { self.leave = leave }

  deinit { leave(self) }
}

/// A call with which an undo manager forgets an action.
enum ForgettingCall: CaseIterable {
  case removeAll, removeTarget, newAction, fewerLevels, oneMoreGroup, newInfo, emptyGroup
}

@Suite("A value that goes")
struct ForgettingTests {
  /// Calls `body` on a thread of its own: a call that waits for itself then holds up no other test.
  private func apart(_ what: String, _ body: @escaping @Sendable () -> Void) async throws {
    try await withDeadline(what) { try await waiting(body) }
  }

  @Test(arguments: ForgettingCall.allCases)
  func `may call the undo manager that forgets it`(call: ForgettingCall) async throws {
    try await apart("\(call)") {
      let (manager, target) = (UndoManager(), Target())
      manager.groupsByEvent = false
      var isGone = false
      func value() -> Leaving {
        Leaving { value in
          manager.removeAllActions(withTarget: value)
          isGone = true
        }
      }
      func register(_ value: Leaving?) {
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(value) {} }
        manager.endUndoGrouping()
      }
      switch call {
      case .removeAll:
        register(value())
        manager.removeAllActions()
      case .removeTarget:
        register(value())
        manager.removeAllActions(withTarget: target)
      case .newAction:
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: target) { [value = value()] target in
          manager.registerUndo(withTarget: target) { _ in withExtendedLifetime(value) {} }
        }
        manager.endUndoGrouping()
        manager.undo()
        #expect(manager.canRedo && !isGone)
        register(nil)
      case .fewerLevels:
        register(value())
        register(nil)
        manager.levelsOfUndo = 1
      case .oneMoreGroup:
        manager.levelsOfUndo = 1
        register(value())
        register(nil)
      case .newInfo:
        register(nil)
        manager.setActionUserInfoValue(value(), forKey: UndoManager.UserInfoKey("key"))
        manager.setActionUserInfoValue(nil, forKey: UndoManager.UserInfoKey("key"))
      case .emptyGroup:
        manager.groupsByEvent = true
        manager.registerUndo(withTarget: target) { _ in }
        manager.setActionUserInfoValue(value(), forKey: UndoManager.UserInfoKey("key"))
        manager.removeAllActions()
        manager.endEventGrouping()
      }
      #expect(isGone)
    }
  }
}

private final class Target {}
