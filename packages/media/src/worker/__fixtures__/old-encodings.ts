/** A few lines in an older encoding: what they are, what they say, and their bytes in hex. */
export const oldEncodings: [name: string, text: string, hex: string][] = [
  [
    'Shift-JIS, a table',
    '商品名,数量,価格\nりんご,10,150円\nノート,1,980円',
    '8fa4956996bc2c909497ca2c89bf8a690a82e882f182b22c31302c313530897e0a836d815b83672c312c393830897e',
  ],
  [
    'Shift-JIS, a table without kana',
    '氏名,住所\n田中太郎,東京都千代田区\n佐藤花子,大阪市北区',
    '8e8196bc2c8f5a8f8a0a9363928691be98592c938c8b9e937390e791e393638be60a8db293a189d48e712c91e58de38e7396' + '6b8be6',
  ],
  [
    'EUC-JP, a table',
    '氏名,住所\n田中太郎,東京都千代田区\nスミス,大阪市北区',
    'bbe1ccbe2cbdbbbdea0ac5c4c3e6c2c0cfba2cc5ecb5fec5d4c0e9c2e5c5c4b6e80aa5b9a5dfa5b92cc2e7bae5bbd4cbccb6' + 'e8',
  ],
  [
    'EUC-JP, sentences',
    '会議は明日の午後三時から行います。\n資料をご確認ください。',
    'b2f1b5c4a4cfccc0c6fca4ceb8e1b8e5bbb0bbfea4aba4e9b9d4a4a4a4dea4b9a1a30abbf1cec1a4f2a4b4b3cec7a7a4afa4' +
      'c0a4b5a4a4a1a3',
  ],
  [
    'GB18030, a table',
    '姓名,城市,年龄\n张伟,北京,三十\n王芳,上海,二十八',
    'd0d5c3fb2cb3c7cad02cc4eac1e40ad5c5ceb02cb1b1bea92cc8fdcaae0acdf5b7bc2cc9cfbaa32cb6fecaaeb0cb',
  ],
  [
    'GB18030, sentences',
    '我们今天下午三点开会，请带上报告。\n他说：“明天会下雨。”',
    'ced2c3c7bdf1cceccfc2cee7c8fdb5e3bfaabbe1a3acc7ebb4f8c9cfb1a8b8e6a1a30acbfbcbb5a3baa1b0c3f7ccecbbe1cf' +
      'c2d3eaa1a3a1b1',
  ],
  [
    'GB18030, Russian',
    'Имя,Город\nИван,Москва\nМария,Казань',
    'a7aaa7dea7f12ca7a4a7e0a7e2a7e0a7d50aa7aaa7d3a7d1a7df2ca7aea7e0a7e3a7dca7d3a7d10aa7aea7d1a7e2a7daa7f1' +
      '2ca7aca7d1a7d9a7d1a7dfa7ee',
  ],
  [
    'Big5, a table',
    '姓名,城市,年齡\n陳志明,臺北,三十\n林美玲,高雄,二十八',
    'a96da6572cabb0a5ab2ca67ec4d60ab3afa7d3a9fa2cbb4fa55f2ca454a4510aaa4cacfcacc22cb0aab6af2ca447a451a44b',
  ],
  [
    'Big5, sentences',
    '我們今天下午三點開會，請帶上報告。\n他說：「明天會下雨。」',
    'a7daadcca4b5a4d1a455a4c8a454c249b67db77ca141bdd0b161a457b3f8a769a1430aa54cbba1a147a175a9faa4d1b77ca4' +
      '55ab42a143a176',
  ],
  [
    'EUC-KR, a table',
    '이름,도시,나이\n김철수,서울,서른\n박민수,대구,서른다섯',
    'c0ccb8a72cb5b5bdc32cb3aac0cc0ab1e8c3b6bcf62cbcadbfef2cbcadb8a50ab9dab9cebcf62cb4ebb1b82cbcadb8a5b4d9' + 'bcb8',
  ],
  [
    'EUC-KR, sentences',
    '오늘 오후 세 시에 회의가 있습니다.\n자료를 확인해 주시기 바랍니다.',
    'bfc0b4c320bfc0c8c420bcbc20bdc3bfa120c8b8c0c7b0a120c0d6bdc0b4cfb4d92e0ac0dab7e1b8a620c8aec0cec7d820c1' +
      'd6bdc3b1e220b9d9b6f8b4cfb4d92e',
  ],
  [
    'windows-1251, a table',
    'Товар,Цена\nЯблоки,150\nНоутбук,98000',
    'd2eee2e0f02cd6e5ede00adfe1ebeeeae82c3135300acdeef3f2e1f3ea2c3938303030',
  ],
  [
    'KOI8-R, a table',
    'Товар,Цена\nЯблоки,150\nНоутбук,98000',
    'f4cfd7c1d22ce3c5cec10af1c2cccfcbc92c3135300aeecfd5d4c2d5cb2c3938303030',
  ],
  [
    'KOI8-R, capitals',
    'ВНИМАНИЕ! Завтра в 15:00\nсостоится совещание.',
    'f7eee9ede1eee9e52120fac1d7d4d2c120d72031353a30300ad3cfd3d4cfc9d4d3d120d3cfd7c5ddc1cec9c52e',
  ],
  [
    'windows-1252, French',
    'Elle a dit : « Où est-il allé ? »\nL’été dernier, près de la gare…',
    '456c6c65206120646974203a20ab204ff9206573742d696c20616c6ce9203f20bb0a4c92e974e9206465726e6965722c2070' +
      '72e873206465206c61206761726585',
  ],
  [
    'windows-1252, German',
    'Name,Straße,Größe\nMüller,Königsallee,180\n„Schön“, sagte er – und ging.',
    '4e616d652c53747261df652c4772f6df650a4dfc6c6c65722c4bf66e696773616c6c65652c3138300a84536368f66e932c20' +
      '7361677465206572209620756e642067696e672e',
  ],
  [
    'windows-1252, Spanish',
    '“¿Dónde está el baño?”, preguntó.\n¡Qué día! Mañana lloverá.',
    '93bf44f36e646520657374e120656c206261f16f3f942c2070726567756e74f32e0aa15175e92064ed6121204d61f1616e61' +
      '206c6c6f766572e12e',
  ],
  [
    'windows-1252, one é',
    'The cafés are open on Mondays.\nNothing else is.',
    '54686520636166e97320617265206f70656e206f6e204d6f6e646179732e0a4e6f7468696e6720656c73652069732e',
  ],
  [
    'windows-1252, one apostrophe',
    'I don’t know.\nNobody does.',
    '4920646f6e9274206b6e6f772e0a4e6f626f647920646f65732e',
  ],
  [
    'windows-1250, Czech',
    'Včera jsme byli na výletě a večer\njsme šli do divadla. Účet je za březen.',
    '56e8657261206a736d652062796c69206e612076fd6c6574ec2061207665e865720a6a736d65209a6c6920646f2064697661' +
      '646c612e20dae86574206a65207a612062f8657a656e2e',
  ],
  [
    'ISO-8859-2, Polish',
    'Książka leży na półce obok żółtej lampy.\nProszę sprawdzić załączone dokumenty.',
    '4b7369b1bf6b61206c65bf79206e612070f3b36365206f626f6b20bff3b374656a206c616d70792e0a50726f737aea207370' +
      '726177647a69e6207a61b3b1637a6f6e6520646f6b756d656e74792e',
  ],
  [
    'windows-1250, Polish',
    'Imię,Miasto\nŁukasz,Łódź\nŚwięta spędziliśmy w górach, było dużo śniegu',
    '496d69ea2c4d696173746f0aa3756b61737a2ca3f3649f0a8c7769ea7461207370ea647a696c699c6d7920772067f3726163' +
      '682c206279b36f206475bf6f209c6e69656775',
  ],
  [
    'ISO-8859-7',
    'Όνομα,Πόλη\nΓιώργος,Θεσσαλονίκη\nΠαρακαλώ ελέγξτε τα έγγραφα.',
    'bcedefece12cd0fcebe70ac3e9fef1e3eff22cc8e5f3f3e1ebefeddfeae70ad0e1f1e1eae1ebfe20e5ebdde3eef4e520f4e1' +
      '20dde3e3f1e1f6e12e',
  ],
];
