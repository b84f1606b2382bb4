import type { ResponseInputContent } from 'openai/resources/responses/responses';
import { describe, expect, it } from 'vitest';
import { givenParts } from '../__fixtures__/every-part.ts';
import { givenReference, inlineRendering, markOf, readDataUrl, urlRendering } from '../__fixtures__/references.ts';
import { describeConverter, type Seen } from '../converter.contract.ts';
import {
  openaiResponsesCarries,
  projectToOpenaiResponses,
  type ResponsesContent,
} from './project-to-openai-responses.ts';

const png = givenReference(1, 'image/png');
const txt = givenReference(2, 'text/plain');
const pdf = givenReference(3, 'application/pdf');
const dataUrl = (reference: typeof png) => `data:${reference.mimeType};base64,${markOf('base64', reference)}`;

describe('projectToOpenaiResponses', () => {
  it('gives the content of the Responses API, which its SDK takes [SR-04 RP-08]', () => {
    const parts = givenParts(openaiResponsesCarries);
    const content: ResponseInputContent[] = projectToOpenaiResponses(parts, inlineRendering);
    const image = (number: number, mimeType: string) => {
      return { type: 'input_image', detail: 'auto', image_url: dataUrl(givenReference(number, mimeType)) };
    };
    expect(content).toEqual([
      { type: 'input_text', text: 'look' },
      image(1, 'image/png'),
      { type: 'input_text', text: `File "a \\"b\\"\\n]c.txt" (text/plain):\n${markOf('text', txt)}` },
      { type: 'input_file', filename: 'report.pdf', file_data: dataUrl(pdf) },
      { type: 'input_text', text: 'Document "scan.pdf", 2 pages as images, in order:' },
      image(41, 'image/png'),
      image(42, 'image/jpeg'),
      { type: 'input_text', text: 'not shown' },
    ]);
  });

  it('gives URLs of images and PDF where they are asked for, the PDF then without its name', () => {
    expect(projectToOpenaiResponses(givenParts(new Set(['image', 'document'])), urlRendering)).toEqual([
      { type: 'input_image', detail: 'auto', image_url: markOf('url', png) },
      { type: 'input_file', file_url: markOf('url', pdf) },
    ]);
  });
});

function readContent(content: ResponsesContent): Seen {
  if (content.type === 'input_text') return { form: 'text', holds: content.text };
  if (content.type === 'input_image') return { form: 'image', holds: readDataUrl(content.image_url) };
  return { form: 'document', holds: 'file_url' in content ? content.file_url : readDataUrl(content.file_data) };
}

const read = (content: ResponsesContent[]) => content.map(readContent);
const common = { carries: openaiResponsesCarries, convert: projectToOpenaiResponses, read, embedsText: false };

describeConverter({ ...common, title: 'to OpenAI Responses', offers: 'base64', wayOf: () => 'base64' });
describeConverter({ ...common, title: 'to OpenAI Responses, by URL', offers: 'url', wayOf: () => 'url' });
