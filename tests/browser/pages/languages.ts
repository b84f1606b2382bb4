const sentences = [
  ['en', 'ltr', 'Drop files here'],
  ['ar', 'rtl', 'أفلت الملفات هنا'],
  ['zh', 'ltr', '将文件拖放到此处上传并发送'],
] as const;

const root = document.getElementById('root');
for (const [lang, dir, text] of sentences) {
  const paragraph = document.createElement('p');
  Object.assign(paragraph, { lang, dir, textContent: text, id: lang });
  root?.append(paragraph);
}
