// Words of grammar, and those that stand in any title.
const STOP_WORDS = new Set(
  `a about above after all alone also always an and any anything are as at be because been before behind being beside but by can
  cannot come did do does done down each either else end every for from further get give go had has have her him his how however if in
  into is it its itself just last least less like made make may meanwhile more most much must neither never new next no nobody
  none nor not nothing now of off on one only or other otherwise our out over own put rather same say see she should since
  so some still such take than that the their them themselves then there these they thing this those though through time to too
  two under until up upon us was way we were what whatever when where whether which while who whoever whom whose why will with
  without would yet you your test tests src packages services apps`.split(/\s+/),
);

const ENDING = /(?:ations?|atures?|ions?|ments?|ings?|able|ance|ied|ies|ers?|ed|es|ly|s|e|y)$/;

// Words that mean the same in titles.
const SYNONYMS = [
  'image picture photo png jpeg heic avif gif tiff screenshot pixel',
  'document pdf page',
  'text utf encoding words markdown',
  'sound audio recording wav mp3 video',
  'file attachment artifact',
  'upload body multipart',
  'sent send sends written write writes deliver delivered delivery deliveries brings brought goes',
  'kept keep keeps stored store stores storage holds held durable',
  'lost lose loses gone missing away',
  'refused refuse refuses refusal rejected rejects denied deny denies denial blocked blocks error failure fails fault wrong problem',
  'key secret credential token password',
  'path folder place',
  'span trace',
  'owner lease epoch',
  'collect condemn sweep',
  'retry retried retryable',
  'version release schema golden',
  'killed sigkill dies death crash end ended ends',
  'model provider',
  'program runtime driver child process',
  'sandbox confined bubblewrap seccomp',
];
const groupOf = new Map(
  SYNONYMS.flatMap((words, index) => words.split(' ').map((word) => [stem(word), `=${index}`] as const)),
);

/** The topic of a text: its words without their endings, so that `signed` and `signature` are one, and by their meaning. */
export function listTopicWords(text: string): Set<string> {
  const words =
    text
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z]{2,}|\d{3,}/g) ?? [];
  const stems = words.filter((word) => !STOP_WORDS.has(word)).map(stem);
  return new Set(stems.map((each) => groupOf.get(each) ?? each));
}

function stem(word: string): string {
  const short = word.replace(ENDING, '');
  return short.length < 3 ? word : short;
}
