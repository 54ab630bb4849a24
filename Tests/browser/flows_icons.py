"""The app's own icon on the drawn phones."""

import json
import os
import pathlib
import shutil
import struct
import zlib

import gateway

RED, GREEN = (220, 20, 30), (20, 160, 60)


def png(color, side=180):
    def chunk(name, content):
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
    rows = (b"\0" + bytes(color) * side) * side
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def shop(bench):
    """A copy of the shop with icons: a red one on Android, a green one on iPhones."""
    folder = pathlib.Path(bench.folder, "shop-with-icons")
    shutil.copytree(gateway.HERE / "shop", folder / "shop")
    shutil.copy(bench.catalog, folder / "shop.yaml")
    icons = folder / "shop/Assets.xcassets/AppIcon.appiconset"
    icons.mkdir(parents=True)
    (icons / "Contents.json").write_text(json.dumps(
        {"images": [{"filename": "icon.png", "idiom": "iphone", "scale": "3x", "size": "60x60"}]}), encoding="utf-8")
    (icons / "icon.png").write_bytes(png(GREEN))
    (folder / "shop/res/mipmap-hdpi").mkdir()
    (folder / "shop/res/mipmap-hdpi/ic_launcher.png").write_bytes(png(RED, 72))
    return os.fspath(folder / "shop.yaml")


def test_draws_the_apps_icon_also_in_the_picture(bench):
    page = bench.browser
    with gateway.another(bench, "icons", shop(bench)) as server:
        page.open("#/templates/parcel?locales=en,he", fresh=True)
        page.wait("an icon on each phone", "document.querySelectorAll('.appicon image').length === 4")
        seen = page.driver.execute_async_script("""const done = arguments[0];
          Promise.all([...document.querySelectorAll('.appicon image')].map(async image => {
            const picture = new Image();
            picture.src = image.getAttribute('href');
            await picture.decode();
            const context = Object.assign(document.createElement('canvas'), { width: 40, height: 40 }).getContext('2d');
            context.drawImage(picture, 0, 0, 40, 40);
            const at = (x, y) => [...context.getImageData(x, y, 1, 1).data];
            return [image.closest('.device').dataset.platform, at(20, 20).slice(0, 3), at(0, 0)[3]];
          })).then(done)""")
        assert sorted(map(str, seen)) == sorted(map(str, [["android", [*RED], 0], ["ios", [*GREEN], 0]] * 2)), seen
        asked = page.run("return performance.getEntriesByType('resource').filter(each => each.name.includes('/v1/icons/')).length")
        assert asked == 2, "each once"
        page.run("""window.made = []; const make = URL.createObjectURL; URL.createObjectURL = blob => { window.made.push(blob); return make(blob); };
          HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };""")
        page.button("Save picture")
        page.wait("the picture", "window.saved === 'parcel.png'")
        colors = page.driver.execute_async_script("""const done = arguments[0];
          createImageBitmap(window.made.at(-1)).then(picture => {
            const canvas = document.createElement('canvas');
            const context = canvas.getContext('2d');
            [canvas.width, canvas.height] = [picture.width, picture.height];
            context.drawImage(picture, 0, 0);
            const found = new Set();
            const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
            for (let at = 0; at < data.length; at += 4) found.add(data.slice(at, at + 3).join());
            done([...arguments[1]].map(color => found.has(color.join())));
          })""".replace("arguments[1]", json.dumps([RED, GREEN])))
        assert colors == [True, True], colors
        assert page.violations() == []
    assert page.complaints() == []
