import type { ChatCompletionContentPart } from 'openai/resources/chat/completions';
import { describe, expect, it } from 'vitest';
import { givenParts } from '../__fixtures__/every-part.ts';
import { givenReference, inlineRendering, markOf, readDataUrl, urlRendering } from '../__fixtures__/references.ts';
import { describeConverter, type Seen } from '../converter.contract.ts';
import { type ChatPart, openaiChatCarries, projectToOpenaiChat } from './project-to-openai-chat.ts';

const png = givenReference(1, 'image/png');
const txt = givenReference(2, 'text/plain');
const pdf = givenReference(3, 'application/pdf');
const wav = givenReference(5, 'audio/wav');
const dataUrl = (reference: typeof png) => `data:${reference.mimeType};base64,${markOf('base64', reference)}`;

describe('projectToOpenaiChat', () => {
  it('gives the parts of Chat Completions, which its SDK takes [SR-04 RP-08]', () => {
    const parts: ChatCompletionContentPart[] = projectToOpenaiChat(givenParts(openaiChatCarries), inlineRendering);
    const image = (number: number, mimeType: string) => {
      return { type: 'image_url', image_url: { url: dataUrl(givenReference(number, mimeType)) } };
    };
    expect(parts).toEqual([
      { type: 'text', text: 'look' },
      image(1, 'image/png'),
      { type: 'text', text: `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}` },
      { type: 'file', file: { filename: 'report.pdf', file_data: dataUrl(pdf) } },
      { type: 'text', text: 'Document "scan.pdf", 2 pages as images, in order:' },
      image(41, 'image/png'),
      image(42, 'image/jpeg'),
      { type: 'input_audio', input_audio: { data: markOf('base64', wav), format: 'wav' } },
      { type: 'text', text: 'not shown' },
    ]);
  });

  it('gives URLs of images alone: nothing else has a URL form', () => {
    expect(projectToOpenaiChat(givenParts(new Set(['image', 'document', 'audio'])), urlRendering)).toEqual([
      { type: 'image_url', image_url: { url: markOf('url', png) } },
      { type: 'file', file: { filename: 'report.pdf', file_data: dataUrl(pdf) } },
      { type: 'input_audio', input_audio: { data: markOf('base64', wav), format: 'wav' } },
    ]);
  });

  it('calls audio/mpeg mp3, and takes no other audio', () => {
    const audio = (mimeType: string) => {
      return projectToOpenaiChat([{ type: 'audio', bytes: givenReference(8, mimeType), name: 'a' }], inlineRendering);
    };
    expect(audio('audio/mpeg')).toMatchObject([{ input_audio: { format: 'mp3' } }]);
    expect(() => audio('audio/ogg')).toThrow('openai-chat takes no audio of type audio/ogg');
  });
});

function readPart(part: ChatPart): Seen {
  switch (part.type) {
    case 'text':
      return { form: 'text', holds: part.text };
    case 'image_url':
      return { form: 'image', holds: readDataUrl(part.image_url.url) };
    case 'file':
      return { form: 'document', holds: readDataUrl(part.file.file_data) };
    default:
      return { form: 'audio', holds: part.input_audio.data };
  }
}

const read = (parts: ChatPart[]) => parts.map(readPart);
const common = { carries: openaiChatCarries, convert: projectToOpenaiChat, read, embedsText: false };

describeConverter({ ...common, title: 'to OpenAI Chat', offers: 'base64', wayOf: () => 'base64' });
describeConverter({
  ...common,
  title: 'to OpenAI Chat, images by URL',
  offers: 'url',
  wayOf: (media) => (media === 'image' ? 'url' : 'base64'),
});
