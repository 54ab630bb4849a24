// swift-format-ignore-file
// Written by scripts/embed-openapi from openapi.json; change that and run it again.

extension OpenAPIDocument {
  /// What openapi.json holds.
  static let text = ##"""
{
  "openapi": "3.1.0",
  "info": {
    "title": "Dragoman",
    "version": "1",
    "summary": "A localization-aware push gateway in front of FCM HTTP v1.",
    "description": "Requests and answers are JSON in UTF-8, with field names in snake_case. Every error is an `application/problem+json` document (RFC 9457). For an invalid request, it reports every mistake at once. An empty query parameter counts as absent.\n\nA gateway with `auth.clients` in its configuration requires `Authorization: Bearer KEY` for everything under `/v1`. Each operation needs one of the scopes `send`, `read` and `preview`. A client with the scope `admin` may use every operation, for the notifications of every client. Whatever a client may not see answers 404, as if it did not exist.\n\nHEAD works wherever GET does.",
    "license": {"name": "Apache License 2.0", "identifier": "Apache-2.0"}
  },
  "servers": [{"url": "/", "description": "The gateway that serves this description."}],
  "security": [{"key": []}],
  "tags": [
    {"name": "notifications", "description": "Send, track, cancel and retry notifications."},
    {"name": "feedback", "description": "Dead registrations, and counts of deliveries."},
    {"name": "templates", "description": "The catalog, and previews of what phones display."},
    {"name": "operation", "description": "Health, metrics and explanations, without an API key."}
  ],
  "paths": {
    "/v1/notifications": {
      "post": {
        "operationId": "acceptNotification",
        "tags": ["notifications"],
        "summary": "Send a notification",
        "description": "The gateway answers once the notification is on disk. From then on, it is sent or ends with a reason. With an `Idempotency-Key`, you can repeat the request until you get an answer, and it is accepted only once. With `validate_only`, the gateway asks FCM and queues nothing.",
        "security": [{"key": ["send"]}],
        "parameters": [
          {"$ref": "#/components/parameters/Idempotency-Key"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {"$ref": "#/components/schemas/NotificationRequest"},
              "examples": {
                "device": {
                  "summary": "To one device",
                  "value": {
                    "template": "new_message",
                    "to": {"token": "alice-phone"},
                    "args": {"name": "Alice", "count": 3, "sender": "Bob"}
                  }
                },
                "devices": {
                  "summary": "To several devices, with its own settings",
                  "value": {
                    "template": "welcome",
                    "to": {"tokens": ["alice-phone", "alice-tablet"]},
                    "args": {"name": "Alice"},
                    "data": {"screen": "home"},
                    "ttl": "3600s",
                    "priority": "normal",
                    "collapse_key": "welcome",
                    "analytics_label": "signup"
                  }
                },
                "topic": {
                  "summary": "To a topic, with a number that is passed on as written",
                  "value": {
                    "template": "stock",
                    "to": {"topic": "Tech"},
                    "args": {"company": "FooCorp", "points": "11.80", "price": 835.67, "percent": 1.43}
                  }
                },
                "condition": {
                  "summary": "To subscribers of both topics",
                  "value": {
                    "template": "stock",
                    "to": {"condition": "'tech' in topics && 'news' in topics"},
                    "args": {"company": "FooCorp", "points": 11.8, "price": 835.67, "percent": 1.43}
                  }
                },
                "ask": {
                  "summary": "Validation by FCM only",
                  "value": {
                    "template": "welcome",
                    "to": {"fid": "dUsxpgjyRxW-hLQ3zEpGhf"},
                    "args": {"name": "Alice"},
                    "validate_only": true
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "With `validate_only`: FCM's answers.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/ValidationResult"},
                "example": {
                  "valid": true,
                  "deliveries": [
                    {
                      "target": {"token": "alice-phone"},
                      "message": {
                        "token": "alice-phone",
                        "android": {
                          "notification": {"title_loc_key": "welcome_title", "title_loc_args": ["Alice"]}
                        },
                        "apns": {
                          "payload": {
                            "aps": {"alert": {"title-loc-key": "WELCOME_TITLE", "title-loc-args": ["Alice"]}}
                          }
                        }
                      },
                      "message_bytes": 600
                    }
                  ]
                }
              }
            }
          },
          "202": {
            "description": "The notification is on disk and will be sent.",
            "headers": {
              "Location": {"$ref": "#/components/headers/Location"},
              "Idempotency-Replayed": {"$ref": "#/components/headers/Idempotency-Replayed"},
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Notification"},
                "example": {
                  "id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                  "app": "default",
                  "template": "new_message",
                  "status": "queued",
                  "created_at": "2026-11-21T11:59:00.123Z",
                  "deliveries": [
                    {
                      "id": "01a1fdf9-5c1b-7c4f-8e21-90b7d4e6a312",
                      "target": {"token": "alice-phone"},
                      "status": "queued",
                      "attempts": 0,
                      "next_attempt_at": "2026-11-21T11:59:00.123Z",
                      "updated_at": "2026-11-21T11:59:00.123Z"
                    }
                  ]
                }
              }
            },
            "links": {
              "show": {
                "operationId": "showNotification",
                "description": "The current state of the notification.",
                "parameters": {"id": "$response.body#/id"}
              },
              "cancel": {
                "operationId": "cancelNotification",
                "description": "Cancels every delivery that has not been sent.",
                "parameters": {"id": "$response.body#/id"}
              },
              "retry": {
                "operationId": "retryNotification",
                "description": "Queues failed and expired deliveries again.",
                "parameters": {"id": "$response.body#/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadBody"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "409": {"$ref": "#/components/responses/IdempotencyConflict"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/NotificationInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/AcceptUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      },
      "get": {
        "operationId": "listNotifications",
        "tags": ["notifications"],
        "summary": "List notifications",
        "description": "Lists the client's own notifications, newest first; for an admin, those of all clients. A page may contain fewer than `limit` notifications, or none, even if there are more. Cursors stay valid while new notifications arrive.",
        "security": [{"key": ["read"]}],
        "parameters": [
          {"$ref": "#/components/parameters/status"},
          {"$ref": "#/components/parameters/filterTemplate"},
          {"$ref": "#/components/parameters/filterApp"},
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/cursor"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/NotificationPage"},
                "example": {
                  "notifications": [
                    {
                      "id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                      "app": "default",
                      "template": "new_message",
                      "status": "sent",
                      "created_at": "2026-11-21T11:59:00.123Z",
                      "deliveries": [
                        {
                          "id": "01a1fdf9-5c1b-7c4f-8e21-90b7d4e6a312",
                          "target": {"token": "alice-phone"},
                          "status": "sent",
                          "attempts": 1,
                          "message_name": "projects/example-app/messages/0:1",
                          "updated_at": "2026-11-21T11:59:00.131Z"
                        }
                      ]
                    }
                  ],
                  "next_cursor": null
                }
              }
            },
            "links": {
              "next": {
                "operationId": "listNotifications",
                "description": "The next page.",
                "parameters": {"cursor": "$response.body#/next_cursor"}
              },
              "show": {
                "operationId": "showNotification",
                "description": "The newest notification.",
                "parameters": {"id": "$response.body#/notifications/0/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/AppQueryInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/notifications/batch": {
      "post": {
        "operationId": "acceptBatch",
        "tags": ["notifications"],
        "summary": "Send a batch of notifications",
        "description": "The gateway accepts or rejects each notification separately. The `Idempotency-Key` applies to the batch as a whole.",
        "security": [{"key": ["send"]}],
        "parameters": [
          {"$ref": "#/components/parameters/Idempotency-Key"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {"$ref": "#/components/schemas/BatchRequest"},
              "examples": {
                "two": {
                  "summary": "To two users",
                  "value": {
                    "notifications": [
                      {"template": "welcome", "to": {"token": "alice-phone"}, "args": {"name": "Alice"}},
                      {"template": "welcome", "to": {"token": "bob-phone"}, "args": {"name": "Bob"}}
                    ]
                  }
                }
              }
            }
          }
        },
        "responses": {
          "202": {
            "description": "Notifications without a `problem` are on disk.",
            "headers": {
              "Idempotency-Replayed": {"$ref": "#/components/headers/Idempotency-Replayed"},
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/BatchResult"},
                "example": {
                  "accepted": 1,
                  "rejected": 1,
                  "results": [
                    {"id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e", "status": "queued"},
                    {
                      "problem": {
                        "type": "/problems/invalid-request",
                        "title": "The request is not valid",
                        "status": 422,
                        "detail": "The request has a mistake.",
                        "errors": [
                          {
                            "pointer": "/notifications/1/args/name",
                            "code": "missing",
                            "detail": "this param has no default, so it must be given"
                          }
                        ]
                      }
                    }
                  ]
                }
              }
            },
            "links": {
              "show": {
                "operationId": "showNotification",
                "description": "The current state of the notification.",
                "parameters": {"id": "$response.body#/results/0/id"}
              },
              "cancel": {
                "operationId": "cancelNotification",
                "description": "Cancels every delivery that has not been sent.",
                "parameters": {"id": "$response.body#/results/0/id"}
              },
              "retry": {
                "operationId": "retryNotification",
                "description": "Queues failed and expired deliveries again.",
                "parameters": {"id": "$response.body#/results/0/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadBody"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "409": {"$ref": "#/components/responses/IdempotencyConflict"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/BatchInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/notifications/{id}": {
      "parameters": [{"$ref": "#/components/parameters/id"}],
      "get": {
        "operationId": "showNotification",
        "tags": ["notifications"],
        "summary": "Get a notification",
        "description": "Returns the notification with all its deliveries. Another client's notification answers 404.",
        "security": [{"key": ["read"]}],
        "parameters": [
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "The notification.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Notification"},
                "example": {
                  "id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                  "app": "default",
                  "template": "new_message",
                  "status": "sent",
                  "created_at": "2026-11-21T11:59:00.123Z",
                  "deliveries": [
                    {
                      "id": "01a1fdf9-5c1b-7c4f-8e21-90b7d4e6a312",
                      "target": {"token": "alice-phone"},
                      "status": "sent",
                      "attempts": 1,
                      "message_name": "projects/example-app/messages/0:1",
                      "updated_at": "2026-11-21T11:59:00.131Z"
                    }
                  ]
                }
              }
            },
            "links": {
              "cancel": {
                "operationId": "cancelNotification",
                "description": "Cancels every delivery that has not been sent.",
                "parameters": {"id": "$response.body#/id"}
              },
              "retry": {
                "operationId": "retryNotification",
                "description": "Queues failed and expired deliveries again.",
                "parameters": {"id": "$response.body#/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      },
      "delete": {
        "operationId": "cancelNotification",
        "tags": ["notifications"],
        "summary": "Cancel a notification",
        "description": "Cancels every waiting delivery. A delivery that is on its way to FCM at that moment is sent, but not retried. You can read the notification until `queue.retention` ends.",
        "security": [{"key": ["send"]}],
        "parameters": [
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "The current state of the notification.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Notification"},
                "example": {
                  "id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                  "app": "default",
                  "template": "new_message",
                  "status": "cancelled",
                  "created_at": "2026-11-21T11:59:00.123Z",
                  "deliveries": [
                    {
                      "id": "01a1fdf9-5c1b-7c4f-8e21-90b7d4e6a312",
                      "target": {"token": "alice-phone"},
                      "status": "cancelled",
                      "attempts": 0,
                      "updated_at": "2026-11-21T11:59:00.131Z"
                    }
                  ]
                }
              }
            },
            "links": {
              "show": {
                "operationId": "showNotification",
                "description": "The current state of the notification.",
                "parameters": {"id": "$response.body#/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "409": {"$ref": "#/components/responses/AlreadyFinal"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/notifications/{id}/retry": {
      "parameters": [{"$ref": "#/components/parameters/id"}],
      "post": {
        "operationId": "retryNotification",
        "tags": ["notifications"],
        "summary": "Retry a notification",
        "description": "Queues failed and expired deliveries again, with all attempts and the full TTL.",
        "security": [{"key": ["send"]}],
        "parameters": [
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "202": {
            "description": "The current state of the notification.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Notification"},
                "example": {
                  "id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                  "app": "default",
                  "template": "new_message",
                  "status": "queued",
                  "created_at": "2026-11-21T11:59:00.123Z",
                  "deliveries": [
                    {
                      "id": "01a1fdf9-5c1b-7c4f-8e21-90b7d4e6a312",
                      "target": {"token": "alice-phone"},
                      "status": "queued",
                      "attempts": 0,
                      "next_attempt_at": "2026-11-21T11:59:00.123Z",
                      "updated_at": "2026-11-21T11:59:00.123Z"
                    }
                  ]
                }
              }
            },
            "links": {
              "show": {
                "operationId": "showNotification",
                "description": "The current state of the notification.",
                "parameters": {"id": "$response.body#/id"}
              },
              "cancel": {
                "operationId": "cancelNotification",
                "description": "Cancels every delivery that has not been sent.",
                "parameters": {"id": "$response.body#/id"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "409": {"$ref": "#/components/responses/NothingToRetry"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/feedback": {
      "get": {
        "operationId": "listFeedback",
        "tags": ["feedback"],
        "summary": "Dead registrations",
        "description": "Returns the registrations that FCM reported as dead, in order, each until `queue.retention` ends. Delete them from your database, and pass `next` as `after` to get newer events.",
        "security": [{"key": ["read"]}],
        "parameters": [
          {"$ref": "#/components/parameters/after"},
          {"$ref": "#/components/parameters/limit"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "A page of the list.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/FeedbackPage"},
                "example": {
                  "events": [
                    {
                      "id": "1",
                      "type": "registration.dead",
                      "token": "alice-old-phone",
                      "code": "UNREGISTERED",
                      "app": "default",
                      "notification_id": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e",
                      "at": "2026-11-21T11:59:00.123Z"
                    }
                  ],
                  "next": "1"
                }
              }
            },
            "links": {
              "next": {
                "operationId": "listFeedback",
                "description": "Newer events.",
                "parameters": {"after": "$response.body#/next"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/QueryInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/stats": {
      "get": {
        "operationId": "showStats",
        "tags": ["feedback"],
        "summary": "Counts of deliveries by state",
        "description": "Counts the kept deliveries of the client's apps. Final deliveries are kept until `queue.retention` ends.",
        "security": [{"key": ["read"]}],
        "parameters": [
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "Counts by state.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stats"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/QueryInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/QueueUnavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/templates": {
      "get": {
        "operationId": "listTemplates",
        "tags": ["templates"],
        "summary": "List templates",
        "description": "Returns the templates that the client may use, with the findings of `dragoman check`.",
        "security": [{"key": ["preview"]}],
        "parameters": [
          {"$ref": "#/components/parameters/app"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "The templates.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/TemplateList"}}},
            "links": {
              "show": {
                "operationId": "showTemplate",
                "description": "The first template.",
                "parameters": {"template": "$response.body#/templates/0/name"}
              },
              "preview": {
                "operationId": "previewTemplate",
                "description": "A preview of the template.",
                "parameters": {"template": "$response.body#/templates/0/name"}
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/AppQueryInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/templates/{template}": {
      "parameters": [{"$ref": "#/components/parameters/template"}],
      "get": {
        "operationId": "showTemplate",
        "tags": ["templates"],
        "summary": "Get a template",
        "description": "Returns the template with the findings of `dragoman check`.",
        "security": [{"key": ["preview"]}],
        "parameters": [
          {"$ref": "#/components/parameters/app"},
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "responses": {
          "200": {
            "description": "The template.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Template"},
                "example": {
                  "name": "welcome",
                  "description": "The user has signed up.",
                  "params": {"name": {"type": "string", "required": true, "max_length": 100}},
                  "title": {
                    "android": {"key": "welcome_title", "args": ["name"]},
                    "ios": {"key": "WELCOME_TITLE", "args": ["name"]}
                  },
                  "fallback": {"title": "Welcome!"},
                  "findings": []
                }
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/AppQueryInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/v1/templates/{template}/preview": {
      "parameters": [{"$ref": "#/components/parameters/template"}],
      "post": {
        "operationId": "previewTemplate",
        "tags": ["templates"],
        "summary": "Preview a template",
        "description": "Returns what phones display in each language and on each platform for the message with these args.",
        "security": [{"key": ["preview"]}],
        "parameters": [
          {"$ref": "#/components/parameters/traceparent"},
          {"$ref": "#/components/parameters/tracestate"},
          {"$ref": "#/components/parameters/X-Request-Id"}
        ],
        "requestBody": {
          "required": true,
          "content": {
            "application/json": {
              "schema": {"$ref": "#/components/schemas/PreviewRequest"},
              "examples": {
                "french": {
                  "summary": "In French and German, on both platforms",
                  "value": {
                    "args": {"name": "Alice", "count": 3, "sender": "Bob"},
                    "locales": ["fr", "de"],
                    "platforms": ["android", "ios"]
                  }
                }
              }
            }
          }
        },
        "responses": {
          "200": {
            "description": "One preview for each platform and locale.",
            "headers": {
              "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"},
              "RateLimit": {"$ref": "#/components/headers/RateLimit"},
              "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"}
            },
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/PreviewResult"},
                "example": {
                  "previews": [
                    {
                      "platform": "android",
                      "locale": "fr",
                      "resolved_locale": "fr",
                      "title": {
                        "outcome": "text",
                        "text": "Bienvenue, Alice!",
                        "key": "welcome_title",
                        "file": "res/values-fr/strings.xml",
                        "line": 4
                      },
                      "subtitle": {"outcome": "none"},
                      "body": {"outcome": "none"},
                      "findings": []
                    }
                  ],
                  "message": {
                    "token": "alice-phone",
                    "android": {
                      "notification": {"title_loc_key": "welcome_title", "title_loc_args": ["Alice"]}
                    },
                    "apns": {
                      "payload": {
                        "aps": {"alert": {"title-loc-key": "WELCOME_TITLE", "title-loc-args": ["Alice"]}}
                      }
                    }
                  },
                  "message_bytes": 600
                }
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadBody"},
          "401": {"$ref": "#/components/responses/Unauthorized"},
          "403": {"$ref": "#/components/responses/Forbidden"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "409": {"$ref": "#/components/responses/NoResources"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "415": {"$ref": "#/components/responses/UnsupportedMediaType"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "422": {"$ref": "#/components/responses/PreviewInvalid"},
          "429": {"$ref": "#/components/responses/RateLimited"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/": {
      "get": {
        "operationId": "console",
        "tags": ["operation"],
        "summary": "The console",
        "description": "A web page with templates, previews, notifications and the queue. The page needs no API key, but the operations that it calls do.",
        "security": [],
        "responses": {
          "200": {
            "description": "The page.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {"text/html": {"schema": {"type": "string"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/healthz": {
      "get": {
        "operationId": "health",
        "tags": ["operation"],
        "summary": "Check that the process runs",
        "description": "Answers 200 while the process runs.",
        "security": [],
        "responses": {
          "200": {
            "description": "The process runs.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {"text/plain": {"schema": {"type": "string"}, "example": "ok\n"}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/readyz": {
      "get": {
        "operationId": "readiness",
        "tags": ["operation"],
        "summary": "Check that the gateway accepts notifications",
        "description": "Returns the state of each check. `dragoman healthcheck` calls it.",
        "security": [],
        "responses": {
          "200": {
            "description": "The gateway accepts notifications: `ready` or `degraded`.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {
              "application/json": {
                "schema": {"$ref": "#/components/schemas/Readiness"},
                "example": {
                  "status": "ready",
                  "checks": {
                    "queue": {"status": "ok", "since": "2026-11-21T11:59:00.123Z"},
                    "catalog": {"status": "ok", "since": "2026-11-21T11:59:00.123Z"},
                    "credentials": {"status": "ok", "since": "2026-11-21T11:59:00.123Z"},
                    "fcm": {"status": "ok", "since": "2026-11-21T11:59:00.123Z"}
                  }
                }
              }
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {
            "description": "The gateway does not accept notifications, or not this connection.",
            "content": {
              "application/json": {"schema": {"$ref": "#/components/schemas/Readiness"}},
              "application/problem+json": {
                "schema": {
                  "allOf": [
                    {"$ref": "#/components/schemas/Problem"},
                    {
                      "properties": {
                        "type": {"enum": ["/problems/too-many-connections", "/problems/shutting-down"]},
                        "status": {"const": 503}
                      }
                    }
                  ]
                }
              }
            }
          },
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/metrics": {
      "get": {
        "operationId": "metrics",
        "tags": ["operation"],
        "summary": "Get the metrics",
        "description": "The Prometheus text format, or OpenMetrics 1.0 if `Accept` asks for it.",
        "security": [],
        "responses": {
          "200": {
            "description": "What the gateway counts.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {
              "text/plain": {"schema": {"type": "string"}},
              "application/openmetrics-text": {"schema": {"type": "string"}}
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/openapi.json": {
      "get": {
        "operationId": "openapi",
        "tags": ["operation"],
        "summary": "Get this description",
        "description": "Returns OpenAPI 3.1. With a key that has the scope `preview`, it lists the client's apps and templates and describes the args of each. Without a key, it describes what applies to every gateway.",
        "security": [],
        "responses": {
          "200": {
            "description": "This document.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {
              "application/json": {"schema": {"type": "object", "required": ["openapi", "info", "paths"]}}
            }
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    },
    "/problems/{slug}": {
      "parameters": [{"$ref": "#/components/parameters/slug"}],
      "get": {
        "operationId": "problem",
        "tags": ["operation"],
        "summary": "Explain a problem",
        "description": "The `type` of every error is such a path.",
        "security": [],
        "responses": {
          "200": {
            "description": "When the problem occurs, and what to do.",
            "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
            "content": {"text/plain": {"schema": {"type": "string"}}}
          },
          "400": {"$ref": "#/components/responses/BadRequest"},
          "404": {"$ref": "#/components/responses/NotFound"},
          "405": {"$ref": "#/components/responses/MethodNotAllowed"},
          "408": {"$ref": "#/components/responses/RequestTimeout"},
          "413": {"$ref": "#/components/responses/PayloadTooLarge"},
          "414": {"$ref": "#/components/responses/URITooLong"},
          "417": {"$ref": "#/components/responses/ExpectationFailed"},
          "431": {"$ref": "#/components/responses/HeadersTooLarge"},
          "500": {"$ref": "#/components/responses/InternalError"},
          "501": {"$ref": "#/components/responses/NotImplemented"},
          "503": {"$ref": "#/components/responses/Unavailable"},
          "505": {"$ref": "#/components/responses/VersionNotSupported"}
        }
      }
    }
  },
  "components": {
    "securitySchemes": {
      "key": {
        "type": "http",
        "scheme": "bearer",
        "description": "An API key, created by `dragoman keys new`. The roles of an operation are scopes, of which the client needs one; `admin` includes all."
      }
    },
    "parameters": {
      "id": {
        "name": "id",
        "in": "path",
        "required": true,
        "description": "The notification's id.",
        "schema": {"$ref": "#/components/schemas/NotificationID"},
        "example": "01a1fdf9-5c1b-7c4e-9d0a-3f6b2a71c85e"
      },
      "template": {
        "name": "template",
        "in": "path",
        "required": true,
        "description": "The template's name.",
        "schema": {"type": "string", "pattern": "^[a-zA-Z0-9_.-]{1,128}$"},
        "example": "new_message"
      },
      "slug": {
        "name": "slug",
        "in": "path",
        "required": true,
        "description": "The problem's name.",
        "schema": {
          "type": "string",
          "enum": [
            "already-final", "bad-request", "expectation-failed", "fcm-unavailable", "forbidden",
            "headers-too-large", "http-version-not-supported", "idempotency-conflict",
            "idempotency-mismatch", "internal-error", "invalid-request", "malformed-json",
            "message-too-large", "method-not-allowed", "no-resources", "not-found", "not-implemented",
            "nothing-to-retry", "payload-too-large", "queue-full", "rate-limited", "request-timeout",
            "shutting-down", "storage-unavailable", "too-many-connections", "unauthorized", "unknown-app",
            "unknown-template", "unsupported-media-type", "uri-too-long"
          ]
        },
        "example": "invalid-request"
      },
      "app": {
        "name": "app",
        "in": "query",
        "description": "The app. Default: the only app or, if there are several, `default`.",
        "allowEmptyValue": true,
        "schema": {"type": "string", "minLength": 1},
        "example": "default"
      },
      "status": {
        "name": "status",
        "in": "query",
        "description": "Only notifications with this status.",
        "allowEmptyValue": true,
        "schema": {"$ref": "#/components/schemas/NotificationStatus"},
        "example": "failed"
      },
      "filterTemplate": {
        "name": "template",
        "in": "query",
        "description": "Only notifications of this template.",
        "allowEmptyValue": true,
        "schema": {"type": "string", "minLength": 1},
        "example": "welcome"
      },
      "filterApp": {
        "name": "app",
        "in": "query",
        "description": "Only notifications of this app.",
        "allowEmptyValue": true,
        "schema": {"type": "string", "minLength": 1},
        "example": "default"
      },
      "limit": {
        "name": "limit",
        "in": "query",
        "description": "The maximum number of entries on a page.",
        "allowEmptyValue": true,
        "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 50},
        "example": 20
      },
      "cursor": {
        "name": "cursor",
        "in": "query",
        "description": "The `next_cursor` of the previous page.",
        "allowEmptyValue": true,
        "schema": {"type": "string", "pattern": "^n[1-9a-z][0-9a-z]{0,11}$"}
      },
      "after": {
        "name": "after",
        "in": "query",
        "description": "The `next` of the previous page, or the id of an event.",
        "allowEmptyValue": true,
        "schema": {"type": "integer", "format": "int64", "minimum": 0, "maximum": 9223372036854775807},
        "example": 0
      },
      "Idempotency-Key": {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "A key that you choose for each new request: 1 to 255 visible ASCII characters, kept for 24 hours, separately for each client. A repeat returns the first answer. Quotes around the key are removed.",
        "schema": {"type": "string", "pattern": "^(?!\"\"$)(?:\"[!-~]{1,255}\"|[!-~]{1,255})$"}
      },
      "traceparent": {
        "name": "traceparent",
        "in": "header",
        "description": "The trace that the request belongs to (W3C Trace Context). The gateway passes it on to FCM and the webhook.",
        "schema": {"type": "string"},
        "example": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
      },
      "tracestate": {
        "name": "tracestate",
        "in": "header",
        "description": "Data that tracing systems add to `traceparent`.",
        "schema": {"type": "string"},
        "example": "vendor=1"
      },
      "X-Request-Id": {
        "name": "X-Request-Id",
        "in": "header",
        "description": "The request's id in the gateway's log: 1 to 128 visible ASCII characters. If it is absent or invalid, the gateway generates one.",
        "schema": {"type": "string"},
        "example": "order-4711"
      }
    },
    "headers": {
      "Location": {
        "description": "The path of the notification.",
        "required": true,
        "schema": {
          "type": "string",
          "format": "uri-reference",
          "pattern": "^/v1/notifications/[0-9a-f-]{36}$"
        }
      },
      "Idempotency-Replayed": {
        "description": "Present if this is a repeat of the first answer.",
        "schema": {"type": "string", "const": "true"}
      },
      "Retry-After": {
        "description": "The number of seconds to wait.",
        "required": true,
        "schema": {"type": "integer", "minimum": 1}
      },
      "RateLimit": {
        "description": "The remainder of the client's rate (draft-ietf-httpapi-ratelimit-headers). Only for clients that have a rate.",
        "schema": {"type": "string", "pattern": "^\"client\";r=[0-9]+;t=[0-9]+$"},
        "example": "\"client\";r=499;t=1"
      },
      "RateLimit-Policy": {
        "description": "The client's rate. Only for clients that have a rate.",
        "schema": {"type": "string", "pattern": "^\"client\";q=[0-9]+;w=1$"},
        "example": "\"client\";q=500;w=1"
      },
      "X-Request-Id": {
        "description": "The request's id in the gateway's log, from the request or generated by the gateway.",
        "schema": {"type": "string", "pattern": "^[!-~]{1,128}$"}
      },
      "WWW-Authenticate": {
        "description": "The authentication scheme: a bearer key.",
        "required": true,
        "schema": {"type": "string", "pattern": "^Bearer"}
      },
      "Allow": {
        "description": "The methods that this path supports.",
        "required": true,
        "schema": {"type": "string"}
      }
    },
    "responses": {
      "BadRequest": {
        "description": "The request breaks a rule of HTTP.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/bad-request"]}, "status": {"const": 400}}}
              ]
            }
          }
        }
      },
      "BadBody": {
        "description": "The body is not JSON, or the request breaks a rule of HTTP.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/malformed-json", "/problems/bad-request"]},
                    "status": {"const": 400}
                  }
                }
              ]
            }
          }
        }
      },
      "Unauthorized": {
        "description": "There is no API key, or it is unknown.",
        "headers": {
          "WWW-Authenticate": {"$ref": "#/components/headers/WWW-Authenticate"},
          "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/unauthorized"]}, "status": {"const": 401}}}
              ]
            }
          }
        }
      },
      "Forbidden": {
        "description": "The client's scopes, apps or templates do not allow the request.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/forbidden"]}, "status": {"const": 403}}}
              ]
            }
          }
        }
      },
      "NotFound": {
        "description": "It does not exist, or the client may not see it.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/not-found"]}, "status": {"const": 404}}}
              ]
            }
          }
        }
      },
      "MethodNotAllowed": {
        "description": "The path does not support this method.",
        "headers": {
          "Allow": {"$ref": "#/components/headers/Allow"},
          "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/method-not-allowed"]},
                    "status": {"const": 405}
                  }
                }
              ]
            }
          }
        }
      },
      "RequestTimeout": {
        "description": "The head or the body did not arrive in time.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/request-timeout"]}, "status": {"const": 408}}}
              ]
            }
          }
        }
      },
      "IdempotencyConflict": {
        "description": "The first request with this key is still being handled. Try again.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/idempotency-conflict"]},
                    "status": {"const": 409}
                  }
                }
              ]
            }
          }
        }
      },
      "AlreadyFinal": {
        "description": "Every delivery is final; there is nothing left to cancel.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/already-final"]}, "status": {"const": 409}}}
              ]
            }
          }
        }
      },
      "NothingToRetry": {
        "description": "No delivery is failed or expired.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/nothing-to-retry"]}, "status": {"const": 409}}}
              ]
            }
          }
        }
      },
      "NoResources": {
        "description": "The catalog names no string resources.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/no-resources"]}, "status": {"const": 409}}}
              ]
            }
          }
        }
      },
      "PayloadTooLarge": {
        "description": "The body is larger than `server.max_body_bytes`, by default 1 MiB.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/payload-too-large"]}, "status": {"const": 413}}}
              ]
            }
          }
        }
      },
      "URITooLong": {
        "description": "The request's path and query are too long.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/uri-too-long"]}, "status": {"const": 414}}}
              ]
            }
          }
        }
      },
      "UnsupportedMediaType": {
        "description": "The body is not `application/json`.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/unsupported-media-type"]},
                    "status": {"const": 415}
                  }
                }
              ]
            }
          }
        }
      },
      "ExpectationFailed": {
        "description": "Only `Expect: 100-continue` is supported.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/expectation-failed"]},
                    "status": {"const": 417}
                  }
                }
              ]
            }
          }
        }
      },
      "NotificationInvalid": {
        "description": "Nothing was stored. `errors` lists what to correct.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {
                      "enum": [
                        "/problems/invalid-request", "/problems/unknown-template", "/problems/unknown-app",
                        "/problems/message-too-large", "/problems/idempotency-mismatch"
                      ]
                    },
                    "status": {"const": 422}
                  }
                }
              ]
            }
          }
        }
      },
      "BatchInvalid": {
        "description": "The batch is invalid, or none of its notifications was accepted; in that case, `results` says why.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/invalid-request", "/problems/idempotency-mismatch"]},
                    "status": {"const": 422}
                  }
                }
              ]
            }
          }
        }
      },
      "PreviewInvalid": {
        "description": "`errors` lists what to correct.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {
                      "enum": [
                        "/problems/invalid-request", "/problems/unknown-app", "/problems/message-too-large"
                      ]
                    },
                    "status": {"const": 422}
                  }
                }
              ]
            }
          }
        }
      },
      "QueryInvalid": {
        "description": "`errors` lists the query parameters to correct.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/invalid-request"]}, "status": {"const": 422}}}
              ]
            }
          }
        }
      },
      "AppQueryInvalid": {
        "description": "The app does not exist, or `errors` lists the query parameters to correct.",
        "headers": {"X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/invalid-request", "/problems/unknown-app"]},
                    "status": {"const": 422}
                  }
                }
              ]
            }
          }
        }
      },
      "RateLimited": {
        "description": "The client exceeded its rate, or too many unknown keys came from one address. Try again after `Retry-After`.",
        "headers": {
          "Retry-After": {"$ref": "#/components/headers/Retry-After"},
          "RateLimit": {"$ref": "#/components/headers/RateLimit"},
          "RateLimit-Policy": {"$ref": "#/components/headers/RateLimit-Policy"},
          "X-Request-Id": {"$ref": "#/components/headers/X-Request-Id"}
        },
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/rate-limited"]}, "status": {"const": 429}}}
              ]
            }
          }
        }
      },
      "HeadersTooLarge": {
        "description": "The request's header fields are too large.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/headers-too-large"]}, "status": {"const": 431}}}
              ]
            }
          }
        }
      },
      "InternalError": {
        "description": "The gateway has a fault.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/internal-error"]}, "status": {"const": 500}}}
              ]
            }
          }
        }
      },
      "NotImplemented": {
        "description": "The method or transfer coding is unknown.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {"properties": {"type": {"enum": ["/problems/not-implemented"]}, "status": {"const": 501}}}
              ]
            }
          }
        }
      },
      "AcceptUnavailable": {
        "description": "Nothing was stored, or FCM could not be asked. Try again after `Retry-After`.",
        "headers": {"Retry-After": {"$ref": "#/components/headers/Retry-After"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {
                      "enum": [
                        "/problems/queue-full", "/problems/storage-unavailable", "/problems/fcm-unavailable",
                        "/problems/shutting-down", "/problems/too-many-connections"
                      ]
                    },
                    "status": {"const": 503}
                  }
                }
              ]
            }
          }
        }
      },
      "QueueUnavailable": {
        "description": "The queue could not be read or written. Try again after `Retry-After`.",
        "headers": {"Retry-After": {"$ref": "#/components/headers/Retry-After"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {
                      "enum": [
                        "/problems/queue-full", "/problems/storage-unavailable", "/problems/shutting-down",
                        "/problems/too-many-connections"
                      ]
                    },
                    "status": {"const": 503}
                  }
                }
              ]
            }
          }
        }
      },
      "Unavailable": {
        "description": "The gateway cannot answer now. Try again after `Retry-After`.",
        "headers": {"Retry-After": {"$ref": "#/components/headers/Retry-After"}},
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/shutting-down", "/problems/too-many-connections"]},
                    "status": {"const": 503}
                  }
                }
              ]
            }
          }
        }
      },
      "VersionNotSupported": {
        "description": "The request's HTTP version is not supported.",
        "content": {
          "application/problem+json": {
            "schema": {
              "allOf": [
                {"$ref": "#/components/schemas/Problem"},
                {
                  "properties": {
                    "type": {"enum": ["/problems/http-version-not-supported"]},
                    "status": {"const": 505}
                  }
                }
              ]
            }
          }
        }
      }
    },
    "schemas": {
      "NotificationRequest": {
        "type": "object",
        "description": "A notification to send or, with `validate_only`, to validate with FCM only.",
        "required": ["template", "to"],
        "properties": {
          "template": {
            "type": "string",
            "description": "The template's name in the catalog.",
            "pattern": "^[a-zA-Z0-9_.-]{1,128}$"
          },
          "to": {"$ref": "#/components/schemas/Recipients"},
          "args": {"$ref": "#/components/schemas/Args"},
          "app": {"$ref": "#/components/schemas/App"},
          "data": {"$ref": "#/components/schemas/Data"},
          "ttl": {"$ref": "#/components/schemas/TTL"},
          "priority": {"$ref": "#/components/schemas/Priority"},
          "collapse_key": {"$ref": "#/components/schemas/CollapseKey"},
          "analytics_label": {"$ref": "#/components/schemas/AnalyticsLabel"},
          "send_at": {"$ref": "#/components/schemas/SendAt"},
          "validate_only": {
            "type": "boolean",
            "default": false,
            "description": "Asks FCM about the message for each target (10 at most) and queues nothing. Not allowed in a batch."
          }
        },
        "additionalProperties": false,
        "oneOf": [
          {"properties": {"validate_only": {"const": false}}},
          {
            "required": ["validate_only"],
            "properties": {"validate_only": {"const": true}, "to": {"$ref": "#/components/schemas/FewRecipients"}}
          }
        ]
      },
      "QueuedNotification": {
        "description": "A notification to send.",
        "allOf": [
          {"$ref": "#/components/schemas/NotificationRequest"}, {"properties": {"validate_only": {"const": false}}}
        ]
      },
      "App": {
        "type": "string",
        "description": "The app. Default: the only app or, if there are several, `default`.",
        "minLength": 1
      },
      "Data": {
        "type": "object",
        "description": "Strings for the app's own code, merged over the template's `data`.",
        "propertyNames": {
          "minLength": 1,
          "not": {"pattern": "^(?:from|message_type|gcm|google)$|^(?:gcm|google)\\."}
        },
        "additionalProperties": {"type": "string"}
      },
      "TTL": {
        "type": "string",
        "description": "How long the notification is worth showing: `90s`, `15m`, `24h`, `7d`; 28 days at most. With `0s`, FCM delivers it at once or not at all.",
        "pattern": "^0{0,9}(?:(?:[0-9]{1,6}|1[0-9]{6}|2[0-3][0-9]{5}|240[0-9]{4}|241[0-8][0-9]{3}|2419[01][0-9]{2}|2419200)s|(?:[0-9]{1,4}|[1-3][0-9]{4}|40[0-2][0-9]{2}|403[01][0-9]|40320)m|(?:[0-9]{1,2}|[1-5][0-9]{2}|6[0-6][0-9]|67[0-2])h|(?:[0-9]|1[0-9]|2[0-8])d)$"
      },
      "Priority": {
        "type": "string",
        "description": "How urgently FCM delivers the message: `high` wakes the device at once.",
        "enum": ["high", "normal"]
      },
      "CollapseKey": {
        "type": "string",
        "description": "A later notification with the same key replaces this one.",
        "minLength": 1
      },
      "AnalyticsLabel": {
        "type": "string",
        "description": "The label for FCM's reports.",
        "pattern": "^[a-zA-Z0-9_.~%-]{1,50}$"
      },
      "SendAt": {
        "type": "string",
        "format": "date-time",
        "description": "When to send the notification, in RFC 3339, at most 30 days ahead. Default: at once."
      },
      "Recipients": {
        "description": "The target or targets of a notification: exactly one of the fields.",
        "oneOf": [
          {"$ref": "#/components/schemas/TokenTarget"},
          {"$ref": "#/components/schemas/FIDTarget"},
          {"$ref": "#/components/schemas/TopicTarget"},
          {"$ref": "#/components/schemas/ConditionTarget"},
          {"$ref": "#/components/schemas/TokensTarget"},
          {"$ref": "#/components/schemas/FIDsTarget"}
        ]
      },
      "FewRecipients": {
        "description": "The targets to validate: the same as `Recipients`, but 10 at most.",
        "oneOf": [
          {"$ref": "#/components/schemas/TokenTarget"},
          {"$ref": "#/components/schemas/FIDTarget"},
          {"$ref": "#/components/schemas/TopicTarget"},
          {"$ref": "#/components/schemas/ConditionTarget"},
          {
            "allOf": [{"$ref": "#/components/schemas/TokensTarget"}, {"properties": {"tokens": {"maxItems": 10}}}]
          },
          {"allOf": [{"$ref": "#/components/schemas/FIDsTarget"}, {"properties": {"fids": {"maxItems": 10}}}]}
        ]
      },
      "Target": {
        "description": "The target of a delivery.",
        "oneOf": [
          {"$ref": "#/components/schemas/TokenTarget"},
          {"$ref": "#/components/schemas/FIDTarget"},
          {"$ref": "#/components/schemas/TopicTarget"},
          {"$ref": "#/components/schemas/ConditionTarget"}
        ]
      },
      "TokenTarget": {
        "type": "object",
        "description": "One device, by its registration token.",
        "required": ["token"],
        "properties": {
          "token": {
            "type": "string",
            "description": "A registration token, which identifies one installation of the app. It counts towards the 4,096 bytes of the message.",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "FIDTarget": {
        "type": "object",
        "description": "One device, by its Firebase installation id.",
        "required": ["fid"],
        "properties": {
          "fid": {
            "type": "string",
            "description": "A Firebase installation id, FCM's newer identifier for a registration. It counts towards the 4,096 bytes of the message.",
            "minLength": 1
          }
        },
        "additionalProperties": false
      },
      "TopicTarget": {
        "type": "object",
        "description": "All subscribers of the topic.",
        "required": ["topic"],
        "properties": {
          "topic": {
            "type": "string",
            "description": "The topic's name, without `/topics/`.",
            "pattern": "^[a-zA-Z0-9_.~%-]{1,900}$"
          }
        },
        "additionalProperties": false
      },
      "ConditionTarget": {
        "type": "object",
        "description": "All registrations whose topics satisfy the condition.",
        "required": ["condition"],
        "properties": {
          "condition": {
            "type": "string",
            "description": "Up to five topics with `&&`, `||`, `!` and parentheses: `'tech' in topics && 'news' in topics`. The pattern allows parentheses around two topics; the gateway accepts them at any depth.",
            "pattern": "^(?: *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *(?:(?:&&|\\|\\|) *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *){0,4}|(?: *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *| *(?:! *)?\\( *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *(?:(?:&&|\\|\\|) *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *)?\\) *)(?:(?:&&|\\|\\|)(?: *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *| *(?:! *)?\\( *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *(?:(?:&&|\\|\\|) *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *)?\\) *))?(?:(?:&&|\\|\\|) *(?:! *)?(?:'[a-zA-Z0-9_.~%-]{1,900}'|\"[a-zA-Z0-9_.~%-]{1,900}\") *in +topics *)?)$"
          }
        },
        "additionalProperties": false
      },
      "TokensTarget": {
        "type": "object",
        "description": "Up to 1,000 devices, with one delivery each.",
        "required": ["tokens"],
        "properties": {
          "tokens": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {
              "type": "string",
              "description": "A registration token, which identifies one installation of the app. It counts towards the 4,096 bytes of the message.",
              "minLength": 1
            }
          }
        },
        "additionalProperties": false
      },
      "FIDsTarget": {
        "type": "object",
        "description": "Up to 1,000 devices, with one delivery each.",
        "required": ["fids"],
        "properties": {
          "fids": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {
              "type": "string",
              "description": "A Firebase installation id, FCM's newer identifier for a registration. It counts towards the 4,096 bytes of the message.",
              "minLength": 1
            }
          }
        },
        "additionalProperties": false
      },
      "Args": {
        "type": "object",
        "description": "The values of the template's params, by name. Required for params without a default. A number may be given as a string, which is passed on as written: `\"11.80\"` stays `11.80`.",
        "additionalProperties": {"type": ["string", "number", "boolean"]}
      },
      "BatchRequest": {
        "type": "object",
        "description": "Up to 1,000 notifications, each of which is accepted or rejected separately.",
        "required": ["notifications"],
        "properties": {
          "notifications": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {"$ref": "#/components/schemas/QueuedNotification"}
          }
        },
        "additionalProperties": false
      },
      "NotificationID": {
        "type": "string",
        "description": "A UUIDv7.",
        "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"
      },
      "DeliveryStatus": {
        "type": "string",
        "description": "The state of a delivery. The last four are final.",
        "enum": ["scheduled", "queued", "sending", "sent", "failed", "expired", "cancelled"]
      },
      "NotificationStatus": {
        "type": "string",
        "description": "The common state of the deliveries. While any delivery is not final, it is the least advanced state; if final states differ, it is `partial`.",
        "enum": ["scheduled", "queued", "sending", "sent", "failed", "expired", "cancelled", "partial"]
      },
      "Notification": {
        "type": "object",
        "description": "What one accepted request creates.",
        "required": ["id", "app", "template", "status", "created_at", "deliveries"],
        "properties": {
          "id": {"$ref": "#/components/schemas/NotificationID"},
          "app": {"type": "string"},
          "template": {"type": "string"},
          "status": {"$ref": "#/components/schemas/NotificationStatus"},
          "created_at": {"type": "string", "format": "date-time", "description": "When the notification was accepted."},
          "client": {
            "type": "string",
            "description": "The client that made the request. Absent if callers need no API key."
          },
          "deliveries": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "items": {"$ref": "#/components/schemas/Delivery"}
          }
        },
        "additionalProperties": false
      },
      "Delivery": {
        "type": "object",
        "description": "One FCM message to one target.",
        "required": ["id", "target", "status", "attempts", "updated_at"],
        "properties": {
          "id": {"$ref": "#/components/schemas/NotificationID"},
          "target": {"$ref": "#/components/schemas/Target"},
          "status": {"$ref": "#/components/schemas/DeliveryStatus"},
          "attempts": {"type": "integer", "minimum": 0, "description": "The number of attempts."},
          "next_attempt_at": {
            "type": "string",
            "format": "date-time",
            "description": "When the next attempt is due. Only while the delivery is not final."
          },
          "message_name": {"type": "string", "description": "FCM's name for the message. Only in the state `sent`."},
          "error": {"$ref": "#/components/schemas/DeliveryError"},
          "updated_at": {"type": "string", "format": "date-time", "description": "When the delivery last changed."}
        },
        "additionalProperties": false
      },
      "DeliveryError": {
        "type": "object",
        "description": "Why the last attempt failed.",
        "required": ["code", "message"],
        "properties": {
          "code": {
            "type": "string",
            "description": "A code from FCM or, from `TIMEOUT` on, from the gateway.",
            "enum": [
              "UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE",
              "INTERNAL", "THIRD_PARTY_AUTH_ERROR", "TIMEOUT", "NETWORK", "BAD_RESPONSE", "AUTHENTICATION",
              "PERMISSION", "NOT_FOUND"
            ]
          },
          "http_status": {
            "type": "integer",
            "minimum": 100,
            "maximum": 599,
            "description": "The HTTP status of FCM's answer. Absent if there was none."
          },
          "message": {"type": "string", "description": "The error message, from FCM or the gateway."},
          "apns_reason": {"type": "string", "description": "The reason that APNs gave."}
        },
        "additionalProperties": false
      },
      "BatchResult": {
        "type": "object",
        "description": "The result for each notification of a batch.",
        "required": ["accepted", "rejected", "results"],
        "properties": {
          "accepted": {"type": "integer", "minimum": 0},
          "rejected": {"type": "integer", "minimum": 0},
          "results": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "description": "In the order of the request.",
            "items": {
              "oneOf": [
                {"$ref": "#/components/schemas/BatchAccepted"},
                {"$ref": "#/components/schemas/BatchRejected"}
              ]
            }
          }
        },
        "additionalProperties": false
      },
      "BatchAccepted": {
        "type": "object",
        "required": ["id", "status"],
        "properties": {
          "id": {"$ref": "#/components/schemas/NotificationID"},
          "status": {"$ref": "#/components/schemas/NotificationStatus"}
        },
        "additionalProperties": false
      },
      "BatchRejected": {
        "type": "object",
        "required": ["problem"],
        "properties": {"problem": {"$ref": "#/components/schemas/Problem"}},
        "additionalProperties": false
      },
      "ValidationResult": {
        "type": "object",
        "description": "FCM's answer for the message of each target.",
        "required": ["valid", "deliveries"],
        "properties": {
          "valid": {"type": "boolean", "description": "Whether FCM accepts all of the messages."},
          "deliveries": {
            "type": "array",
            "minItems": 1,
            "maxItems": 10,
            "items": {
              "type": "object",
              "required": ["target", "message", "message_bytes"],
              "properties": {
                "target": {"$ref": "#/components/schemas/Target"},
                "message": {"$ref": "#/components/schemas/Message"},
                "message_bytes": {"type": "integer", "minimum": 0, "maximum": 4096},
                "error": {"$ref": "#/components/schemas/DeliveryError"}
              },
              "additionalProperties": false
            }
          }
        },
        "additionalProperties": false
      },
      "Message": {"type": "object", "description": "A message as defined by FCM's HTTP v1 API."},
      "NotificationPage": {
        "type": "object",
        "description": "Notifications, newest first.",
        "required": ["notifications", "next_cursor"],
        "properties": {
          "notifications": {
            "type": "array",
            "maxItems": 1000,
            "items": {"$ref": "#/components/schemas/Notification"}
          },
          "next_cursor": {
            "type": ["string", "null"],
            "description": "Pass it as `cursor` to get the next page. Null at the end."
          }
        },
        "additionalProperties": false
      },
      "FeedbackPage": {
        "type": "object",
        "description": "Registrations that FCM reported as dead, in order.",
        "required": ["events", "next"],
        "properties": {
          "events": {
            "type": "array",
            "maxItems": 1000,
            "items": {"$ref": "#/components/schemas/FeedbackEvent"}
          },
          "next": {
            "type": ["string", "null"],
            "description": "Pass it as `after` to get newer events. Null if there has been no event yet.",
            "pattern": "^[0-9]+$"
          }
        },
        "additionalProperties": false
      },
      "FeedbackEvent": {
        "type": "object",
        "description": "A dead registration.",
        "required": ["id", "type", "code", "app", "notification_id", "at"],
        "properties": {
          "id": {"type": "string", "description": "An increasing number.", "pattern": "^[0-9]+$"},
          "type": {"const": "registration.dead"},
          "token": {
            "type": "string",
            "description": "A registration token, which identifies one installation of the app. It counts towards the 4,096 bytes of the message.",
            "minLength": 1
          },
          "fid": {
            "type": "string",
            "description": "A Firebase installation id, FCM's newer identifier for a registration. It counts towards the 4,096 bytes of the message.",
            "minLength": 1
          },
          "code": {
            "type": "string",
            "description": "FCM's error code.",
            "enum": [
              "UNREGISTERED", "INVALID_ARGUMENT", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE",
              "INTERNAL", "THIRD_PARTY_AUTH_ERROR", "TIMEOUT", "NETWORK", "BAD_RESPONSE", "AUTHENTICATION",
              "PERMISSION", "NOT_FOUND"
            ]
          },
          "app": {"type": "string"},
          "notification_id": {"$ref": "#/components/schemas/NotificationID"},
          "at": {"type": "string", "format": "date-time", "description": "When FCM reported it."}
        },
        "additionalProperties": false,
        "oneOf": [{"required": ["token"]}, {"required": ["fid"]}]
      },
      "StateCounts": {
        "type": "object",
        "description": "Kept deliveries by state.",
        "required": ["scheduled", "queued", "sending", "sent", "failed", "expired", "cancelled"],
        "properties": {
          "scheduled": {"type": "integer", "minimum": 0},
          "queued": {"type": "integer", "minimum": 0},
          "sending": {"type": "integer", "minimum": 0},
          "sent": {"type": "integer", "minimum": 0},
          "failed": {"type": "integer", "minimum": 0},
          "expired": {"type": "integer", "minimum": 0},
          "cancelled": {"type": "integer", "minimum": 0}
        },
        "additionalProperties": false
      },
      "AppStats": {
        "type": "object",
        "required": ["deliveries", "oldest_queued_seconds"],
        "properties": {
          "deliveries": {"$ref": "#/components/schemas/StateCounts"},
          "oldest_queued_seconds": {"type": "number", "minimum": 0}
        },
        "additionalProperties": false
      },
      "Stats": {
        "type": "object",
        "description": "Counts of deliveries by state.",
        "required": ["deliveries", "oldest_queued_seconds", "apps"],
        "properties": {
          "deliveries": {"$ref": "#/components/schemas/StateCounts"},
          "oldest_queued_seconds": {
            "type": "number",
            "minimum": 0,
            "description": "How long the oldest delivery that is due has waited."
          },
          "apps": {
            "type": "object",
            "description": "The same for each app.",
            "additionalProperties": {"$ref": "#/components/schemas/AppStats"}
          }
        },
        "additionalProperties": false
      },
      "TemplateList": {
        "type": "object",
        "required": ["app", "templates"],
        "properties": {
          "app": {"type": "string"},
          "templates": {"type": "array", "items": {"$ref": "#/components/schemas/Template"}}
        },
        "additionalProperties": false
      },
      "Template": {
        "type": "object",
        "description": "A logical notification: typed params and, per platform, the loc keys with their args.",
        "required": ["name", "params", "findings"],
        "properties": {
          "name": {"type": "string", "pattern": "^[a-zA-Z0-9_.-]{1,128}$"},
          "description": {"type": "string"},
          "params": {
            "type": "object",
            "description": "The params by name.",
            "propertyNames": {"pattern": "^[a-zA-Z0-9_.-]{1,128}$"},
            "additionalProperties": {"$ref": "#/components/schemas/Param"}
          },
          "title": {"$ref": "#/components/schemas/Slot"},
          "subtitle": {"$ref": "#/components/schemas/Slot"},
          "body": {"$ref": "#/components/schemas/Slot"},
          "fallback": {"$ref": "#/components/schemas/Fallback"},
          "ttl": {"type": "string", "pattern": "^[0-9]+s$"},
          "priority": {"type": "string", "enum": ["high", "normal"]},
          "collapse_key": {"type": "string"},
          "analytics_label": {"type": "string"},
          "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}}
        },
        "additionalProperties": false
      },
      "Param": {
        "type": "object",
        "required": ["type", "required"],
        "properties": {
          "type": {"type": "string", "enum": ["string", "integer", "number", "boolean"]},
          "required": {"type": "boolean", "description": "Whether the param has no default."},
          "description": {"type": "string"},
          "enum": {"type": "array", "items": {"$ref": "#/components/schemas/ParamValue"}},
          "max_length": {"type": "integer", "minimum": 0, "description": "The maximum length in Unicode scalars."},
          "min": {"type": "number"},
          "max": {"type": "number"},
          "default": {"$ref": "#/components/schemas/ParamValue"}
        },
        "additionalProperties": false
      },
      "ParamValue": {"type": ["string", "number", "boolean"]},
      "Slot": {
        "type": "object",
        "description": "A line of text, with its loc key for each platform.",
        "properties": {
          "android": {"$ref": "#/components/schemas/LocText"},
          "ios": {"$ref": "#/components/schemas/LocText"},
          "variants": {"type": "array", "items": {"$ref": "#/components/schemas/Variant"}}
        },
        "additionalProperties": false
      },
      "Variant": {
        "type": "object",
        "description": "Other keys for certain values. The first match wins.",
        "required": ["when"],
        "properties": {
          "when": {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/ParamValue"}},
          "android": {"$ref": "#/components/schemas/LocText"},
          "ios": {"$ref": "#/components/schemas/LocText"}
        },
        "additionalProperties": false
      },
      "LocText": {
        "type": "object",
        "required": ["key", "args"],
        "properties": {
          "key": {"type": "string", "description": "The loc key: the name of a string resource."},
          "args": {
            "type": "array",
            "items": {"type": "string"},
            "description": "The params that fill its placeholders, in order."
          }
        },
        "additionalProperties": false
      },
      "Fallback": {
        "type": "object",
        "description": "Literal text for browsers and for an iPhone whose app does not have the key.",
        "properties": {
          "title": {"type": "string"},
          "subtitle": {"type": "string"},
          "body": {"type": "string"}
        },
        "additionalProperties": false
      },
      "Finding": {
        "type": "object",
        "description": "A finding of `dragoman check` in a template. Members that do not apply are null.",
        "required": [
          "rule", "severity", "template", "slot", "platform", "locale", "key", "file", "line", "message",
          "help"
        ],
        "properties": {
          "rule": {
            "type": "string",
            "enum": [
              "MissingKey", "MissingDefaultKey", "MissingTranslation", "MissingFallback",
              "StringFormatMatches", "StringFormatInvalid", "StringFormatCount", "PercentWithoutArgs",
              "PluralKey", "ForeignPlaceholder", "LiteralOverridesLocKey", "EmptyValue", "KeySyntax",
              "WrongTable", "UnparsableStrings", "LocaleFolder", "MessageTooLarge", "FallbackPercent",
              "MixedPositional", "ArgOrderChanged", "ResourceShrinker", "DuplicateKey", "UnusedParam",
              "UnusedArg", "StaleTranslation"
            ]
          },
          "severity": {"type": "string", "enum": ["error", "warning"]},
          "template": {"type": ["string", "null"]},
          "slot": {"enum": ["title", "subtitle", "body", null]},
          "platform": {"enum": ["android", "ios", null]},
          "locale": {"type": ["string", "null"]},
          "key": {"type": ["string", "null"]},
          "file": {"type": ["string", "null"]},
          "line": {"type": ["integer", "null"], "minimum": 1},
          "message": {"type": "string", "description": "The mistake and its effect on the device."},
          "help": {"type": "string", "description": "What to do."}
        },
        "additionalProperties": false
      },
      "PreviewRequest": {
        "type": "object",
        "properties": {
          "args": {"$ref": "#/components/schemas/Args"},
          "locales": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1000,
            "description": "Default: all locales of the string resources.",
            "items": {
              "type": "string",
              "description": "A BCP 47 tag, `default` for Android's `values/`, or iOS's `Base`.",
              "pattern": "^(?:default|Base|[a-zA-Z]{2,3}(?:[-_][a-zA-Z]{4})?(?:[-_](?:[a-zA-Z]{2}|[0-9]{3}))?(?:[-_](?:[a-zA-Z0-9]{5,8}|[0-9][a-zA-Z0-9]{3}))*(?:[-_][a-zA-Z0-9](?:[-_][a-zA-Z0-9]+)*)?)$"
            }
          },
          "platforms": {
            "type": "array",
            "minItems": 1,
            "description": "Default: both.",
            "items": {"type": "string", "enum": ["android", "ios"]}
          },
          "app": {"$ref": "#/components/schemas/App"}
        },
        "additionalProperties": false
      },
      "PreviewResult": {
        "type": "object",
        "description": "What phones would display.",
        "required": ["previews", "message", "message_bytes"],
        "properties": {
          "previews": {"type": "array", "items": {"$ref": "#/components/schemas/Preview"}},
          "message": {"$ref": "#/components/schemas/Message"},
          "message_bytes": {
            "type": "integer",
            "minimum": 0,
            "maximum": 4096,
            "description": "The size of the message without a target. FCM accepts 4,096 bytes."
          }
        },
        "additionalProperties": false
      },
      "Preview": {
        "type": "object",
        "description": "What one phone would display.",
        "required": ["platform", "locale", "resolved_locale", "title", "subtitle", "body", "findings"],
        "properties": {
          "platform": {"type": "string", "enum": ["android", "ios"]},
          "locale": {"type": "string"},
          "resolved_locale": {
            "type": ["string", "null"],
            "description": "The locale that the texts come from."
          },
          "title": {"$ref": "#/components/schemas/PreviewSlot"},
          "subtitle": {"$ref": "#/components/schemas/PreviewSlot"},
          "body": {"$ref": "#/components/schemas/PreviewSlot"},
          "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}}
        },
        "additionalProperties": false
      },
      "PreviewSlot": {
        "type": "object",
        "required": ["outcome"],
        "properties": {
          "outcome": {
            "type": "string",
            "description": "`text`: the text appears. `dropped`: the line is missing. `raw_key`: the key itself appears. `crash`: the app crashes. `none`: the slot has no key on this platform.",
            "enum": ["text", "dropped", "raw_key", "crash", "none"]
          },
          "text": {"type": "string", "description": "The text that appears."},
          "reason": {"type": "string", "description": "Why the line is dropped or the app crashes."},
          "exception": {"type": "string", "description": "The exception with which the app crashes."},
          "documented": {
            "type": "string",
            "description": "The text that FCM's documentation promises, if the phone displays another."
          },
          "key": {"type": "string"},
          "file": {"type": "string"},
          "line": {"type": "integer", "minimum": 1}
        },
        "additionalProperties": false
      },
      "Readiness": {
        "type": "object",
        "required": ["status", "checks"],
        "properties": {
          "status": {
            "type": "string",
            "description": "With `degraded`, the gateway still accepts notifications.",
            "enum": ["ready", "degraded", "unready"]
          },
          "checks": {
            "type": "object",
            "required": ["queue", "catalog", "credentials", "fcm"],
            "properties": {
              "queue": {"$ref": "#/components/schemas/Check"},
              "catalog": {"$ref": "#/components/schemas/Check"},
              "credentials": {"$ref": "#/components/schemas/Check"},
              "fcm": {"$ref": "#/components/schemas/Check"}
            },
            "additionalProperties": {"$ref": "#/components/schemas/Check"}
          }
        },
        "additionalProperties": false
      },
      "Check": {
        "type": "object",
        "required": ["status", "since"],
        "properties": {
          "status": {"type": "string", "enum": ["ok", "warning", "failed"]},
          "detail": {"type": "string", "description": "What is wrong. Absent if the status is `ok`."},
          "since": {"type": "string", "format": "date-time", "description": "When this status began."}
        },
        "additionalProperties": false
      },
      "Problem": {
        "type": "object",
        "description": "An error (RFC 9457).",
        "required": ["type", "title", "status", "detail"],
        "properties": {
          "type": {
            "type": "string",
            "description": "A path where the gateway serves an explanation as text.",
            "pattern": "^/problems/[a-z-]+$",
            "format": "uri-reference"
          },
          "title": {"type": "string"},
          "status": {"type": "integer", "minimum": 400, "maximum": 599},
          "detail": {"type": "string", "description": "What is wrong with this request."},
          "errors": {
            "type": "array",
            "minItems": 1,
            "description": "Every mistake in the request.",
            "items": {"$ref": "#/components/schemas/InputError"}
          },
          "pointer": {
            "type": "string",
            "description": "With `malformed-json`: the last place that could be read.",
            "format": "json-pointer"
          },
          "message_bytes": {
            "type": "integer",
            "minimum": 0,
            "description": "With `message-too-large`: the size that the message would have."
          },
          "limit_bytes": {
            "type": "integer",
            "minimum": 0,
            "description": "With `message-too-large`: the size that FCM accepts."
          },
          "error": {"$ref": "#/components/schemas/DeliveryError"},
          "accepted": {
            "type": "integer",
            "minimum": 0,
            "description": "With a batch of which nothing was accepted."
          },
          "rejected": {"type": "integer", "minimum": 0},
          "results": {"type": "array", "items": {"$ref": "#/components/schemas/BatchRejected"}}
        },
        "additionalProperties": false
      },
      "InputError": {
        "type": "object",
        "required": ["pointer", "code", "detail"],
        "properties": {
          "pointer": {
            "type": "string",
            "description": "A JSON Pointer into the request (RFC 6901), or `/NAME` for a query parameter.",
            "format": "json-pointer"
          },
          "code": {"type": "string", "enum": ["missing", "unknown", "wrong_type", "out_of_range", "invalid"]},
          "detail": {"type": "string"}
        },
        "additionalProperties": false
      }
    }
  }
}

"""##
}
