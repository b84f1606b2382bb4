import { crc32, deflateRawSync } from 'node:zlib';

const contentTypes =
  '<?xml version="1.0" encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
  '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ' +
  'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>';

const documentOf = (words: string) =>
  '<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">' +
  `<w:body><w:p><w:r><w:t>${words}</w:t></w:r></w:p></w:body></w:document>`;

type Entry = { name: string; content: string };

/** The fields that both headers of an entry have. */
function describeEntry({ name, content }: Entry, packed: Buffer): Buffer {
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(8, 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(Buffer.byteLength(content), 18);
  fields.writeUInt16LE(name.length, 22);
  return fields;
}

/** A document of Word with these words in it: packed, so that they occur nowhere in its bytes. */
export function makeDocx(words: string): Buffer<ArrayBuffer> {
  const entries = [
    { name: '[Content_Types].xml', content: contentTypes },
    { name: 'word/document.xml', content: documentOf(words) },
  ];
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const packed = deflateRawSync(entry.content);
    const [described, name] = [describeEntry(entry, packed), Buffer.from(entry.name)];
    const file = Buffer.concat([Buffer.from('PK\x03\x04'), described, name, packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    files.push(file);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), described, place, name]));
    offset += file.length;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(Buffer.concat(directory).length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06'), end]);
}
