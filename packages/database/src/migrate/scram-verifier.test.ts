import { expect, it } from 'vitest';
import { createScramVerifier } from './scram-verifier.ts';

it('spells what Postgres stores of a password', () => {
  // The example of RFC 7677: password "pencil".
  const salt = Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64');
  expect(createScramVerifier('pencil', salt)).toBe(
    'SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU=',
  );
});

it('is another one each time', () => {
  expect(createScramVerifier('pencil')).not.toBe(createScramVerifier('pencil'));
});
