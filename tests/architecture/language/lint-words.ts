import { TextlintKernel, type TextlintKernelRule } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import text from '@textlint/textlint-plugin-text';
import { patternOf, type Replacement } from './word-table.ts';

const kernel = new TextlintKernel();
const plugins = [
  { pluginId: 'markdown', plugin: markdown.default },
  { pluginId: 'text', plugin: text.default },
];

/** One message for each phrase of the table that a text contains. Code and what is quoted in a document are not read. */
export async function lintWords(
  source: string,
  kind: '.md' | '.txt',
  replacements: readonly Replacement[],
): Promise<{ line: number; message: string }[]> {
  const { messages } = await kernel.lintText(source, { ext: kind, plugins, rules: [createRule(replacements)] });
  return messages.map(({ line, message }) => ({ line, message }));
}

function createRule(replacements: readonly Replacement[]): TextlintKernelRule {
  const wanted = replacements.map((each) => ({ ...each, pattern: patternOf(each.phrase) }));
  return {
    ruleId: 'plain-words',
    rule: ({ Syntax, RuleError, report, getSource, locator }) => ({
      [Syntax.Str](node) {
        for (const { phrase, instead, pattern } of wanted)
          for (const { index, 0: found } of getSource(node).matchAll(pattern)) {
            const padding = locator.range([index, index + found.length]);
            report(node, new RuleError(`"${phrase}": write ${instead}`, { padding }));
          }
      },
    }),
  };
}
