export function isPdf(mimeType: string): boolean {
  return mimeType === 'application/pdf';
}
