/** A tenant's secret as it is stored. `enc` and `ciphertext` are base64url. May be stored and dumped; only the key of `kid` opens it. */
export type SealedSecret = {
  readonly kid: string;
  /** The encapsulated key of RFC 9180, another one for each sealing. */
  readonly enc: string;
  readonly ciphertext: string;
};

/** The place of a secret. A secret that is sealed for one place opens in no other. */
export type SecretPlace = {
  /** Uuid. */
  readonly tenantId: string;
  readonly name: string;
  readonly version: number;
};
