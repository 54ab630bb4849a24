// Copies the strings that `dragoman strings --write` writes here into the projects that `npx expo prebuild` makes.
const fs = require("fs");
const path = require("path");
const { IOSConfig, withDangerousMod, withXcodeProject } = require("expo/config-plugins");

function copyAndroidStrings(config) {
  const project = config.modRequest.platformProjectRoot;
  fs.cpSync(path.join(__dirname, "android"), path.join(project, "app/src/main/res"), { recursive: true });
  return config;
}

// Into a folder beside the app's own, which new templates of Expo pack as a whole.
function addIosStrings(config) {
  const texts = path.join(__dirname, "ios");
  fs.cpSync(texts, path.join(config.modRequest.platformProjectRoot, "PushStrings"), { recursive: true });
  for (const language of fs.readdirSync(texts)) {
    const groupName = `PushStrings/${language}`;
    IOSConfig.XcodeUtils.ensureGroupRecursively(config.modResults, groupName);
    IOSConfig.XcodeUtils.addResourceFileToGroup({
      filepath: `${groupName}/Localizable.strings`, groupName, project: config.modResults, isBuildFile: true,
    });
  }
  return config;
}

module.exports = (config) =>
  withXcodeProject(withDangerousMod(config, ["android", copyAndroidStrings]), addIosStrings);
