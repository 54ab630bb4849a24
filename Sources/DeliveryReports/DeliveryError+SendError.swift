package import FCM
package import Outbox

extension DeliveryError {
  /// The failure as the API shows it.
  package init(_ failure: SendError) {
    self.init(
      code: failure.code.rawValue, httpStatus: failure.httpStatus, message: failure.message,
      apnsReason: failure.apnsReason)
  }
}
