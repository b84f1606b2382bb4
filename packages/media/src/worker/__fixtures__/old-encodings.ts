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
  [
    'CP437',
    'Größe und Gewicht der Pakete müssen geprüft werden.\nFür Rückfragen stehen wir Ihnen gern zur Verfügung.',
    '477294e16520756e642047657769636874206465722050616b657465206d817373656e20676570728166742077657264656e' +
      '2e0a468172205281636b66726167656e2073746568656e207769722049686e656e206765726e207a75722056657266816775' +
      '6e672e',
  ],
  [
    'CP850',
    "Les élèves sont allés à la bibliothèque où ils ont étudié.\nLe reçu n'est pas lisible, veuillez l'envoyer à nouveau.",
    '4c657320826c8a76657320736f6e7420616c6c82732085206c61206269626c696f74688a717565206f9720696c73206f6e74' +
      '208274756469822e0a4c652072658775206e2765737420706173206c697369626c652c20766575696c6c657a206c27656e76' +
      '6f7965722085206e6f75766561752e',
  ],
  [
    'CP852',
    'Źródło błędu jest już znane i będzie usunięte.\nDzień dobry, zamówienie zostało wysłane wczoraj wieczorem.',
    '8d72a264886f206288a96475206a657374206a75be207a6e616e6520692062a9647a6965207573756e69a974652e0a447a69' +
      '65e420646f6272792c207a616da27769656e6965207a6f737461886f2077797388616e652077637a6f72616a20776965637a' +
      '6f72656d2e',
  ],
  [
    'CP855',
    'Прошу вернуть деньги за повреждённый телефон.\nСегодня вечером совещание не состоится из-за болезни.',
    'dde1d6f5e720eba8e1d4e7e5ed20a6a8d4edacb720f3a020d8d6ebe1a8e9a684d4d4f1bd20e5a8d0a8aad6d42e0ae4a8acd6' +
      'a6d4de20eba8fba8e1d6d220e3d6eba8f9a0d4b7a820d4a820e3d6e3e5d6b7e5e3de20b7f32df3a020a2d6d0a8f3d4b72e',
  ],
  [
    'CP857',
    'Şifrenizi değiştirmek için aşağıdaki düğmeye basınız.\nÇocuklar bahçede güneş batana kadar oynadılar.',
    '9e696672656e697a69206465a7699f7469726d656b206987696e20619f61a78d64616b69206481a76d657965206261738d6e' +
      '8d7a2e0a806f63756b6c617220626168876564652067816e659f20626174616e61206b61646172206f796e61648d6c61722e',
  ],
  [
    'CP737',
    'Αγαπητέ πελάτη, η παραγγελία σας στάλθηκε χθες.\nΠαρακαλώ εισάγετε ξανά τον κωδικό πρόσβασης.',
    '809a98a79eabe220a79ca2e1ab9e2c209e20a798a8989a9a9ca2e59820a998aa20a9abe1a29f9ea19c20ae9f9caa2e0a8f98' +
      'a898a198a2e9209ca0a9e19a9cab9c20a598a4e120aba6a420a1e09ba0a1e620a7a8e6a99998a99eaa2e',
  ],
  [
    'CP862',
    'לקוח יקר, ההזמנה שלך נשלחה אתמול בערב.\nנא להזין שוב את הסיסמה ולהמשיך.',
    '8c978587208997982c208484868e908420998c8a2090998c878420809a8e858c20819298812e0a9080208c8486898f209985' +
      '8120809a20849189918e8420858c848e99898a2e',
  ],
  [
    'CP775',
    'Laba diena, jūsų užsakymas išsiųstas vakar vakare.\nPrašome pateikti sąskaitos numerį ir parašą.',
    '4c616261206469656e612c206ad773d62075d873616b796d61732069d57369d6737461732076616b61722076616b6172652e' +
      '0a507261d56f6d652070617465696b74692073d0736b6169746f73206e756d6572d42069722070617261d5d02e',
  ],
  [
    'CP866',
    'Прошу вернуть деньги за повреждённый телефон.\nСегодня вечером совещание не состоится из-за болезни.',
    '8fe0aee8e320a2a5e0ade3e2ec20a4a5adeca3a820a7a020afaea2e0a5a6a4f1adadeba920e2a5aba5e4aead2e0a91a5a3ae' +
      'a4adef20a2a5e7a5e0aeac20e1aea2a5e9a0ada8a520ada520e1aee1e2aea8e2e1ef20a8a72da7a020a1aeaba5a7ada82e',
  ],
  [
    'CP1125',
    'Їхній будинок стоїть біля річки, а її видно здалеку.\nВведіть пароль іще раз і продовжуйте.',
    'f8e5adf7a920a1e3a4a8adaeaa20e1e2aef9e2ec20a1f7abef20e0f7e7aaa82c20a020f9f920a2a8a4adae20a7a4a0aba5aa' +
      'e32e0a82a2a5a4f7e2ec20afa0e0aeabec20f7e9a520e0a0a720f720afe0aea4aea2a6e3a9e2a52e',
  ],
  [
    'MacCyrillic',
    'Уважаемый клиент, ваш заказ отправлен вчера.\nНомер полиса указан в первой строке письма.',
    '93e2e0e6e0e5ecfbe920eaebe8e5edf22c20e2e0f820e7e0eae0e720eef2eff0e0e2ebe5ed20e2f7e5f0e02e0a8deeece5f0' +
      '20efeeebe8f1e020f3eae0e7e0ed20e220efe5f0e2eee920f1f2f0eeeae520efe8f1fcece02e',
  ],
  [
    'Mac OS Central European',
    'Příliš mnoho chyb při přihlášení, zkuste to později.\nDěti si hrály na zahradě až do setmění.',
    '50de926c69e4206d6e6f686f20636879622070de692070de69686c87e4656e922c207a6b7573746520746f20706f7a649e6a' +
      '692e0a449e7469207369206872876c79206e61207a61687261649e2061ec20646f207365746d9e6e922e',
  ],
  [
    'ISO-8859-2',
    'Dobrý den, vaše objednávka byla odeslána včera večer.\nŽádost o vrácení peněz je třeba podat písemně.',
    '446f6272fd2064656e2c207661b965206f626a65646ee1766b612062796c61206f6465736ce16e612076e8657261207665e8' +
      '65722e0aaee1646f7374206f207672e163656eed2070656eec7a206a652074f865626120706f6461742070ed73656d6eec2e',
  ],
  [
    'KOI8-U',
    'Їхній будинок стоїть біля річки, а її видно здалеку.\nВведіть пароль іще раз і продовжуйте.',
    'b7c8cea6ca20c2d5c4c9cecfcb20d3d4cfa7d4d820c2a6ccd120d2a6decbc92c20c120a7a720d7c9c4cecf20dac4c1ccc5cb' +
      'd52e0af7d7c5c4a6d4d820d0c1d2cfccd820a6ddc520d2c1da20a620d0d2cfc4cfd7d6d5cad4c52e',
  ],
  [
    'ISO-2022-JP',
    'パスワードをもう一度入力して続けてください。\n子供たちは暗くなるまで庭で遊んでいました。',
    '1b244225512539256f213c2549247224622426306c4559467e4e4f24372446423324312446242f24402435242421231b2842' +
      '0a1b24423b523621243f2441244f3045242f244a246b245e2447446d24474d37247324472424245e2437243f21231b2842',
  ],
];
