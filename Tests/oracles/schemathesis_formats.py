"""What schemathesis cannot know: strings of the formats that the API's description names itself."""
import schemathesis
from hypothesis import strategies

# A pattern cannot tell which names the IANA database has.
schemathesis.openapi.format(
    "iana-time-zone",
    strategies.sampled_from(
        ["UTC", "America/Toronto", "Europe/Paris", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "Etc/GMT+3"]
    ),
)
