type Key = {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  repeat: boolean;
  nativeEvent: { isComposing: boolean; keyCode?: number };
};

/** Safari ends a composition before it reports the key that ended it; the code of that key is this one. */
const KEY_OF_COMPOSITION = 229;

const isComposing = ({ nativeEvent }: Key) => nativeEvent.isComposing || nativeEvent.keyCode === KEY_OF_COMPOSITION;

/** Whether a key sends the message: Enter, but not with Shift, and not while a word is composed. */
export const isSendKey = (event: Key): boolean =>
  event.key === 'Enter' && !event.shiftKey && !event.altKey && !isComposing(event);

/** Whether a key asks to remove the last file. A key that is held down does not empty the list. */
export const isEmptyBackspace = (event: Key, text: string): boolean =>
  event.key === 'Backspace' && text === '' && !event.repeat && !event.ctrlKey && !event.metaKey && !isComposing(event);
