import FCMMessage
import JSON
import Testing

@testable import Catalog

struct AssemblyErrorTests {
  private let secret = "s3cret-text"

  @Test func descriptionHoldsNothingOfTheRequest() throws {
    let template =
      "{params: {s: {type: string, max_length: 3}, i: {type: integer}, e: {type: string, enum: [a]}}, "
      + "title: {android: k, args: [s]}}"
    let catalog = try Fixture.catalog(template: template)
    let text = JSON.string(secret)
    let request = AssemblyRequest(
      template: "t", args: .init([("s", text), ("i", text), ("e", text), (secret, text)]),
      data: .init([(secret, JSON.bool(true))]), priority: secret, analyticsLabel: secret + " ",
      longestTarget: .token(secret))
    let error = try #require(throws: AssemblyError.self) { try catalog.assemble(request).get() }
    #expect(error.code == .invalidRequest)
    #expect(error.inputErrors.count == 7)
    #expect(!"\(error)".contains(secret))
    // The details are for the sender, but do not quote values either.
    for inputError in error.inputErrors { #expect(!inputError.detail.contains(secret), "\(inputError)") }

    let unknown = try #require(throws: AssemblyError.self) {
      try catalog.assemble(AssemblyRequest(template: secret)).get()
    }
    #expect(unknown.code == .unknownTemplate)
    #expect(!"\(unknown)".contains(secret))
  }

  @Test func descriptionOfATooLargeMessageHoldsNoText() throws {
    let catalog = try Fixture.catalog(
      template: "{params: {s: {type: string}}, title: {android: k, args: [s]}}")
    let request = AssemblyRequest(
      template: "t", args: .init([("s", .string(String(repeating: secret, count: 500)))]),
      longestTarget: .token(secret))
    let error = try #require(throws: AssemblyError.self) { try catalog.assemble(request).get() }
    #expect(error.code == .messageTooLarge)
    #expect(!"\(error)".contains(secret))
  }

  @Test func descriptionOfAParamErrorDoesNotHoldTheValue() throws {
    for type in ParamType.allCases {
      let param = Param(
        name: "p", type: type, description: nil, allowed: [.string("a")], lengthMax: 1, format: nil,
        min: NumberLimit(0), max: NumberLimit(1), defaultValue: nil, example: nil, isOptional: false,
        isIsolated: false, line: 1)
      let error = try #require(throws: ParamError.self) { try param.read(.string(secret)).get() }
      #expect(!"\(error)".contains(secret))
    }
  }
}
