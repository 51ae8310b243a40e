/// A day of the Gregorian calendar, of the years from 1 on, without the time zones and tables of `Calendar`.
package struct GregorianDay: Equatable {
  let year: Int
  let month: Int
  let day: Int
  /// The number of days since 1970-01-01.
  package let number: Int

  /// - Returns: nil if the month has no such day.
  package init?(year: Int, month: Int, day: Int) {
    // Years begin in March, so that the leap day is the last day of a year.
    let (fromMarch, ofYear) = (month + (month > 2 ? -3 : 9), month > 2 ? year : year - 1)
    let (era, yearOfEra) = ofYear.quotientAndRemainder(dividingBy: 400)
    let dayOfYear = (153 * fromMarch + 2) / 5 + day - 1
    self.init(number: era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468)
    guard (self.year, self.month, self.day) == (year, month, day) else { return nil }
  }

  init(number: Int) {
    // Days since 0000-03-01, split into eras of 400 years, then by 100 years, 4 years and one year.
    let (eras, ofEra) = (number + 719_468).quotientAndRemainder(dividingBy: 146_097)
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * ofYear + 2) / 153
    self.number = number
    day = ofYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = eras * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }
}
