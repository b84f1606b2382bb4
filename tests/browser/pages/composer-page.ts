/** The settings of the page of a composer. */
export type ComposerPage = {
  url: string;
  token: string;
  sessionId: string;
  language?: 'en' | 'zh' | 'ar';
  supported?: string[];
  maxFiles?: number;
  /** Makes images of more than 64 pixels smaller. */
  reducesImages?: boolean;
};
