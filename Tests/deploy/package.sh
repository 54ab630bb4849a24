#!/bin/sh
# The checks of scripts/test-deb inside a Debian whose process 1 is systemd; /package holds first.deb and next.deb.
set -eu
export DEBIAN_FRONTEND=noninteractive
gateway=http://127.0.0.1:18080
emulator=127.0.0.1:18085

fail() {
  printf 'FAILED: %s\n' "$*" >&2
  journalctl --no-pager --quiet --output=cat --unit=dragoman --lines=20 >&2 || true
  exit 1
}
# Retries a command until it succeeds, for at most this many seconds.
within() {
  tries=$(($1 * 5)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ $tries -gt 0 ] || fail "$what"
    sleep 0.2
  done
}
property() { systemctl show --value --property "$1" dragoman; }
is() { [ "$(property "$1")" = "$2" ]; }
expect() { is "$1" "$2" || fail "$1 is $(property "$1"), not $2"; }
install_package() {
  apt-get -qq install --no-install-recommends --yes "$1" >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; fail "$1"; }
}
serves() { dragoman healthcheck --url $gateway >/dev/null; }
send() {
  dragoman send new_message --url $gateway --token "$1" --args '{"count": 3, "sender": "Bob"}' ${2:+"$2"}
}
status_of() { sed -n 's/.*"status" *: *"\([^"]*\)".*/\1/p' | head -n 1; }
logged() { journalctl --no-pager --quiet --output=cat --unit=dragoman | grep -q "$1"; }
field() { awk -v name="$1:" '$1 == name { print $2 }' "/proc/$(property MainPID)/status"; }

[ "$(cat /proc/1/comm)" = systemd ] || fail 'process 1 is not systemd'
printf '== installs, and waits to be configured: %s\n' "$(systemctl --version | head -n 1)"
install_package /package/first.deb
[ "$(stat -c '%U:%G %a' /etc/dragoman)" = 'root:dragoman 750' ] || fail "/etc/dragoman: $(stat -c '%U:%G %a' /etc/dragoman)"
[ "$(stat -c '%U %a' /etc/dragoman/secrets)" = 'root 700' ] || fail 'others can read the secrets'
getent passwd dragoman | grep -q ':/usr/sbin/nologin$' || fail 'no user of its own'
[ "$(dragoman --version)" = "dragoman $(dpkg-query --show --showformat='${Version}' dragoman | tr '~' -)" ] ||
  fail 'the package and the program state different versions'
if ldd /usr/bin/dragoman | grep 'not found'; then fail 'a library is missing'; fi
systemd-analyze verify --man=no dragoman.service || fail 'the unit is not right'
expect ActiveState inactive
expect UnitFileState disabled

apt-get -qq purge --yes dragoman >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; fail 'not purged'; }

echo '== does what the documents describe'
mkdir -p /tmp/source /usr/local/bin
# Root needs no sudo, and the package was built elsewhere.
printf '#!/bin/sh\nexec "$@"\n' >/usr/local/bin/sudo
printf '#!/bin/sh\n[ "$*" = deb ] && install -D /package/first.deb .build/deb/dragoman_first.deb\n' >/usr/local/bin/make
chmod +x /usr/local/bin/sudo /usr/local/bin/make
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out /tmp/key.pem 2>/dev/null
printf '{"type": "service_account", "project_id": "proof", "private_key_id": "1", "private_key": "%s",
  "client_email": "d@proof.iam.gserviceaccount.com", "token_uri": "http://%s/token"}\n' \
  "$(sed 's/$/\\n/' /tmp/key.pem | tr -d '\n')" $emulator >/tmp/source/fcm.json
for block in /package/blocks/*; do
  (cd /tmp/source && bash "$block" >/tmp/block.log 2>&1) || { cat /tmp/block.log >&2; fail "$block"; }
done
expect UnitFileState enabled
within 20 'it does not serve' dragoman healthcheck --url http://127.0.0.1:8080
systemctl --quiet disable --now dragoman
rm /etc/dragoman/secrets/fcm.json

echo '== without credentials it says so, and is not started again'
systemctl start dragoman
within 20 'it does not fail' is ActiveState failed
expect ExecMainStatus 2
expect NRestarts 0
logged '/run/credentials/dragoman.service/secret_fcm.json' || fail 'it does not name the file'

echo '== runs with the credentials that systemd shows it'
# The package's own configuration, except that FCM and its token service are the emulator.
sed -i "s|^    credentials:.*|&\n    endpoint: http://$emulator|; s|127.0.0.1:8080|${gateway#http://}|" \
  /etc/dragoman/gateway.yaml
install -m 600 /tmp/source/fcm.json /etc/dragoman/secrets/fcm.json
systemd-run --quiet --unit emulator --property User=dragoman dragoman emulator --listen $emulator
systemctl reset-failed dragoman
systemctl start dragoman
within 20 'it does not serve' serves
sent=$(send phone --wait) || fail "it does not send: $sent"
printf %s "$sent" | grep -q '^sent as projects/' || fail "it does not send: $sent"
[ "$(stat -c '%U %a' /var/lib/dragoman)" = 'dragoman 750' ] || fail '/var/lib/dragoman is not its own'
[ "$(stat -c %U /var/lib/dragoman/queue.db)" = dragoman ] || fail 'the queue is not its own'

echo '== may do little'
[ "$(field Uid)" = "$(id -u dragoman)" ] || fail "it runs as $(field Uid)"
for set in CapInh CapPrm CapEff CapBnd CapAmb; do
  [ "$(field $set)" = 0000000000000000 ] || fail "it has capabilities: $set"
done
[ "$(field NoNewPrivs) $(field Seccomp)" = '1 2' ] || fail 'it may gain privileges, or call any system call'
root=/proc/$(property MainPID)/root
mounted=$(awk '$5 == "/" { print $6 }' "/proc/$(property MainPID)/mountinfo" | tail -n 1)
case $mounted in ro,* | ro) ;; *) fail "its / is mounted $mounted" ;; esac
# Another user of the machine can read neither the file nor systemd's copy of it.
for file in /etc/dragoman/secrets/fcm.json /run/credentials/dragoman.service/secret_fcm.json; do
  if setpriv --reuid nobody --regid nogroup --clear-groups cat "$file" 2>/dev/null; then fail "user nobody can read $file"; fi
done
if setpriv --reuid dragoman --regid dragoman --clear-groups cat /etc/dragoman/secrets/fcm.json 2>/dev/null; then
  fail 'it can read the folder of secrets itself'
fi
[ -z "$(ls -A "$root/home" 2>/dev/null)" ] || fail 'it sees homes'

echo '== reloads'
printf '  added: {title: {android: added_title, ios: ADDED_TITLE}, fallback: {title: Added}}\n' \
  >>/etc/dragoman/catalog.yaml
systemctl reload dragoman
within 10 'the new template is not there' dragoman send added --url $gateway --token phone

echo '== comes back after kill -9, with what it accepted'
systemctl stop emulator
id=$(send later | head -n 1)
pid=$(property MainPID)
kill -9 "$pid"
within 20 'it was not started again' is NRestarts 1
within 20 'it does not serve again' serves
systemd-run --quiet --unit emulator --property User=dragoman dragoman emulator --listen $emulator
is_sent() { [ "$(get "/v1/notifications/$1" | status_of)" = sent ]; }
# One GET whose answer ends with the connection: Debian has bash, so no HTTP client is needed.
get() {
  bash -c 'exec 3<>"/dev/tcp/127.0.0.1/18080"; printf "GET %s HTTP/1.0\r\nHost: 127.0.0.1:18080\r\n\r\n" "$1" >&3; cat <&3' \
    bash "$1"
}
within 60 "$id was not sent after the crash" is_sent "$id"

echo '== restarts, and refuses a wrong configuration'
systemctl restart dragoman
within 20 'it does not serve after a restart' serves
cp /etc/dragoman/gateway.yaml /tmp/right.yaml
echo 'qeue: {}' >>/etc/dragoman/gateway.yaml
# A reload keeps the valid configuration; a start fails.
systemctl reload dragoman
within 10 'the reload logs nothing' logged 'qeue'
serves || fail 'a wrong configuration stopped it'
systemctl restart dragoman
within 20 'it does not fail' is ActiveState failed
expect ExecMainStatus 2
expect NRestarts 0
cp /tmp/right.yaml /etc/dragoman/gateway.yaml
systemctl reset-failed dragoman
systemctl start dragoman
within 20 'it does not serve with the right configuration' serves

echo '== upgrades while it runs, and keeps what was changed'
pid=$(property MainPID)
install_package /package/next.deb
dpkg-query --show dragoman | grep -q '+next$' || fail 'not upgraded'
[ "$(property MainPID)" != "$pid" ] || fail 'the old version still runs'
within 20 'the new version does not serve' serves
grep -q "$emulator" /etc/dragoman/gateway.yaml || fail 'the configuration was overwritten'
is_sent "$id" || fail 'the queue is gone'

echo '== stops'
systemctl stop dragoman
expect Result success
expect ExecMainStatus 0
systemctl start dragoman
within 20 'it does not serve' serves

echo '== is removed'
systemctl stop emulator
apt-get -qq remove --yes dragoman >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; fail 'not removed'; }
if pgrep_of=$(grep -l '^/usr/bin/dragoman' /proc/[0-9]*/cmdline 2>/dev/null); then fail "it still runs: $pgrep_of"; fi
if [ -e /usr/bin/dragoman ] || [ -e /usr/libexec/dragoman ]; then fail 'left behind'; fi
expect LoadState not-found
[ ! -L /etc/systemd/system/multi-user.target.wants/dragoman.service ] || fail 'it is still enabled'
for file in /var/lib/dragoman/queue.db /etc/dragoman/gateway.yaml; do [ -s $file ] || fail "removing took $file along"; done

echo '== is purged'
apt-get -qq purge --yes dragoman >/tmp/apt.log 2>&1 || { cat /tmp/apt.log >&2; fail 'not purged'; }
for path in /etc/dragoman /var/lib/dragoman /usr/share/doc/dragoman /usr/share/man/man1/dragoman.1.gz; do
  [ ! -e $path ] || fail "$path is left"
done
echo 'The package holds'
