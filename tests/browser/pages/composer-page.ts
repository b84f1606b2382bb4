/** The settings of the page of a composer. */
export type ComposerPage = {
  url: string;
  token: string;
  sessionId: string;
  /** A button changes to this session. */
  otherSessionId?: string;
  language?: 'en' | 'zh' | 'ar';
  supported?: string[];
  maxFiles?: number;
  /** Makes images of more than 64 pixels smaller. */
  reducesImages?: boolean;
};
