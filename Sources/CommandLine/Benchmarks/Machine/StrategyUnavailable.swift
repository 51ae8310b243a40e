/// The reason why a way cannot be measured here.
package struct StrategyUnavailable: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}
