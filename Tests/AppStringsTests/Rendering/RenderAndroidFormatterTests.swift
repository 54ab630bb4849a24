import Testing

@testable import AppStrings

@Suite struct RenderAndroidFormatterTests {
  private func shown(_ format: String, _ args: String..., language: String = "en") throws -> String {
    try AndroidFormatter.format(format, args: args, language: LocaleTag(language))
  }

  private func thrown(_ format: String, _ args: String...) -> AndroidFormatError.Kind? {
    do throws(AndroidFormatError) {
      _ = try AndroidFormatter.format(format, args: args, language: nil)
      return nil
    } catch {
      return error.kind
    }
  }

  @Test func fillsOrdinaryExplicitAndRelativeArgs() throws {
    #expect(try shown("%s %1$s %s", "a", "b") == "a a b")
    #expect(try shown("%2$s %<s %s", "a", "b") == "b b a")
  }

  @Test func padsAndCutsByUTF16Units() throws {
    #expect(try shown("%5s|%-5s|%.1s", "ab", "cd", "ef") == "   ab|cd   |e")
    #expect(try shown("%4s|", "😀") == "  😀|")
  }

  @Test func aCutSurrogatePairIsAReplacementCharacter() throws {
    #expect(try shown("%.1s|%.2s", "😀", "😀") == "\u{FFFD}|😀")
    #expect(try shown("%.2S", "a😀") == "A\u{FFFD}")
  }

  @Test func upperCasesByTheLanguage() throws {
    #expect(try shown("%S", "istanbul ß", language: "tr") == "İSTANBUL SS")
    #expect(try shown("%S", "istanbul ß", language: "az-Latn") == "İSTANBUL SS")
    #expect(try shown("%S", "istanbul ß") == "ISTANBUL SS")
    #expect(try shown("%S", "i\u{307}", language: "lt") == "I")
  }

  @Test func showsPercentSignsLineFeedsTruthAndHashes() throws {
    #expect(try shown("%%|%3%|%n|%b|%B|%h|%H", "false", "false", "a", "Bob") == "%|  %|\n|true|TRUE|61|10595")
  }

  @Test func ignoresExcessArgs() throws {
    #expect(try shown("hello", "a", "b") == "hello")
  }

  @Test(arguments: [
    "%d", "%1$d", "%,d", "%x", "%o", "%f", "%.2f", "%e", "%g", "%a", "%c", "%tY", "50% off", "5 % d",
  ])
  func numbersAndDatesRejectStrings(format: String) {
    #expect(thrown(format, "5") == .illegalConversion)
  }

  @Test(arguments: [
    "100%", "%1$s%", "%@", "%1$@", "%ld", "%i", "%u", "%$s", "%1 $s", "%\u{661}$s", "%é", "%tt",
  ])
  func unknownConversionsThrow(format: String) {
    #expect(thrown(format, "5") == .unknownConversion)
  }

  @Test(arguments: ["100% sure", "%,s", "%1$ s", "%#s", "%#b", "%0s", "%(s", "%+s"])
  func textRejectsNumericFlags(format: String) {
    #expect(thrown(format, "5") == .flagsConversionMismatch)
  }

  @Test func namesEveryOtherExceptionThatJavaThrows() {
    #expect(thrown("%s %s", "a") == .missingArgument)
    #expect(thrown("%<s", "a") == .missingArgument)
    #expect(thrown("%0$s", "a") == .illegalArgumentIndex)
    #expect(thrown("%99999999999$s", "a") == .illegalArgumentIndex)
    #expect(thrown("% %", "a") == .illegalFlags)
    #expect(thrown("%-%", "a") == .missingWidth)
    #expect(thrown("%-s", "a") == .missingWidth)
    #expect(thrown("%--5s", "a") == .duplicateFlags)
    #expect(thrown("%.2d", "a") == .illegalPrecision)
    #expect(thrown("%5n", "a") == .illegalWidth)
    #expect(thrown("%99999999999s", "a") == .illegalWidth)
  }

  @Test func parsesTheWholeStringBeforeItFormatsAnyArg() {
    #expect(thrown("%d %@", "a") == .unknownConversion)
    #expect(thrown("%d %s %s", "a") == .illegalConversion)
    #expect(thrown("%s %s %d", "a") == .missingArgument)
    #expect(thrown("%s %#s", "a") == .missingArgument)
  }

  @Test func hugeWidthsReportOutOfMemoryWithoutAllocating() {
    #expect(thrown("%999999999s", "a") == .outOfMemory)
    #expect(thrown("%-2147483647s", "a") == .outOfMemory)
    #expect(AndroidFormatter.verdict("%999999999s", argCount: 1)?.kind == .outOfMemory)
    #expect(
      thrown(String(repeating: "%1$s", count: 2000), String(repeating: "a", count: 1000)) == .outOfMemory)
  }

  @Test func verdictNeedsNoArgs() {
    #expect(AndroidFormatter.verdict("%1$s: %2$s", argCount: 2) == nil)
    #expect(AndroidFormatter.verdict("%1$s: %2$s", argCount: 1)?.isCaught == true)
    #expect(
      AndroidFormatter.verdict("%1$d", argCount: 1)?.name == "java.util.IllegalFormatConversionException")
  }

  @Test func reasonsQuoteTheFormatAndNeverAnArg() {
    let secret = "s3cret"
    for format in ["%d", "%@", "%s %s", "%0$s", "%9999999s", "%,s"] {
      do throws(AndroidFormatError) {
        _ = try AndroidFormatter.format(format, args: [secret], language: nil)
        Issue.record("\(format) formats")
      } catch {
        #expect(!error.reason.contains(secret))
        #expect(!error.reason.isEmpty)
      }
    }
  }
}
