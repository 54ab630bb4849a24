@testable import AppArchives
import AppStrings
import CFuzzer
import FCMMessage
import JSON

/// The entry point, which SwiftPM renames to the program's main.
@_cdecl("fuzz_archives_main")
public func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  var (count, arguments) = (count, arguments)
  return LLVMFuzzerRunDriver(&count, &arguments, fuzzArchives)
}

/// Small limits, so that an input that reaches them does so within libFuzzer's own.
private let limits: ArchiveLimits = {
  var limits = ArchiveLimits()
  limits.entryBytesMax = 1 << 20
  limits.totalBytesMax = 4 << 20
  limits.valuesMax = 10_000
  limits.textBytesMax = 4 << 20
  return limits
}()

/// Fuzzes the readers of built apps: none may crash, hang or exceed its limits. The first byte chooses one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzArchives(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Guard: libFuzzer does not change the bytes until this function returns.
  let input = UnsafeBufferPointer(start: start, count: count)
  guard let reader = input.first else { return 0 }
  read(Array(input.dropFirst()), with: reader % 7)
  return 0
}

private func read(_ bytes: [UInt8], with reader: UInt8) {
  switch reader {
  case 0:
    guard let archive = try? ZipArchive(ByteSource(bytes), limits: limits) else { return }
    for entry in archive.entries { _ = try? archive.read(entry) }
    _ = try? AndroidAppReader(path: "a", limits: limits, keys: nil).read(archive)
    _ = try? AppleAppReader(path: "a", limits: limits, keys: nil).read(archive)
  case 1: readTable(bytes)
  case 2:
    _ = try? BundleResources(bytes, file: "a", limits: limits, budget: TextBudget(limits)) { _ in true }
  case 3: _ = AndroidManifest(binary: bytes)
  case 4:
    _ = AndroidManifest(protobuf: bytes)
    _ = BundleConfiguration(bytes)
  case 5:
    let wanted = [nil, Set([ExactText("k")])]
    for keys in wanted {
      _ = try? SnapshotReader(path: "a", platform: .android, limits: limits, keys: keys).read(bytes)
    }
  default:
    let properties = InfoPropertyList(bytes)
    let file = BuiltAppleFile(
      path: "a", table: "Localizable", isStringsDict: false, language: "en", bundle: "", isGlobal: false,
      isReachable: true, bytes: bytes)
    let tables = BuiltAppLimits(
      readValuesMax: limits.listValuesMax, readTextBytesMax: limits.listTextBytesMax,
      keptValuesMax: limits.valuesMax, keptTextBytesMax: limits.textBytesMax)
    _ = try? AppleResourceReader.read(
      [file], folder: "a", shipped: ShippedApp(version: nil, package: nil), problems: [],
      names: properties?.names ?? AppleAppNames(), icon: nil, limits: tables, isWanted: nil)
  }
}

private func readTable(_ bytes: [UInt8]) {
  guard let table = try? ResourceTable(bytes, limits: limits) else { return }
  for package in table.packages {
    let names = ReferenceNames([(table, package)], countMax: limits.valuesMax)
    _ = table.layers(of: package, file: "a", names: names, budget: TextBudget(limits)) { _ in true }
  }
}
