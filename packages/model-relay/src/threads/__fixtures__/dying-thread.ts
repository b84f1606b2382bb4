// Reads bodies as the real one does, and ends at the first that holds a certain word: it looks before it reads.
import './die-at-word.ts';
import '../thread.ts';
