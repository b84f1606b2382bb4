// Comes up, and then spins where no event reaches it.
process.send?.('started');
setImmediate(() => {
  for (;;);
});
