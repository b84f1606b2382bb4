/**
 * Characters that are not seen or that change how others are seen: controls, format (bidi, zero-width, tags), line and
 * paragraph separators, lone surrogates, and all that a renderer ignores by default. For use with `replaceAll`.
 */
export const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
