import { closeSync, openSync } from 'node:fs';

/** Calls `reload` at each SIGHUP. One that says that the terminal of this process is gone ends it, as it would without us. */
export function onReloadSignal(reload: () => void): void {
  const hadTerminal = hasTerminal();
  const listener = () => {
    if (!hadTerminal || hasTerminal()) return reload();
    process.off('SIGHUP', listener);
    process.kill(process.pid, 'SIGHUP');
  };
  process.on('SIGHUP', listener);
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
