"""Sends with Google's own client to an FCM stand-in and prints messages a second: firebase_sender.py ENDPOINT"""

import datetime
import json
import sys
import time

import firebase_admin
from firebase_admin import credentials, messaging
from google.oauth2.credentials import Credentials

from bench.load import registration


class Anonymous(credentials.Base):
    """A fixed access token, so that no OAuth request is measured."""

    def get_credential(self):
        later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=1)
        return Credentials(token="benchmark", expiry=later.replace(tzinfo=None))


def message(number):
    alert = messaging.ApsAlert(
        title="Welcome!",
        body="You have new messages.",
        title_loc_key="WELCOME_TITLE_PLAIN",
        loc_key="NEW_MESSAGE_BODY",
        loc_args=["3", "Bob"],
    )
    return messaging.Message(
        token=registration(number),
        android=messaging.AndroidConfig(
            priority="high",
            ttl=86400,
            notification=messaging.AndroidNotification(
                channel_id="general",
                icon="ic_chat",
                title_loc_key="welcome_title_plain",
                body_loc_key="new_message_body",
                body_loc_args=["3", "Bob"],
            ),
        ),
        apns=messaging.APNSConfig(
            payload=messaging.APNSPayload(messaging.Aps(alert=alert, sound="default", thread_id="chat"))
        ),
    )


def per_second(count, send):
    started = time.monotonic()
    send()
    return count / (time.monotonic() - started)


def main():
    messaging._MessagingService.FCM_URL = sys.argv[1] + "/v1/projects/{0}/messages:send"
    firebase_admin.initialize_app(Anonymous(), {"projectId": "fast"})
    messages = [message(number) for number in range(500)]
    messaging.send(messages[0])

    def in_batches():
        for _ in range(6):
            response = messaging.send_each(messages)
            if response.failure_count:
                raise RuntimeError(f"{response.failure_count} of 500 failed: {response.responses[0].exception}")

    def one_by_one():
        for one in messages * 2:
            messaging.send(one)

    print(json.dumps({"send_each": per_second(3000, in_batches), "send": per_second(1000, one_by_one)}))


main()
