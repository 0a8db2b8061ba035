"""Function words by language. They identify the language of a message, and searches ignore them."""

# ruff: noqa: E501 - lists of words

FUNCTION_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(words.split())
    for name, words in {
        "english": "a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it"
        " its me my of on or our she so that the their them there they this to us was we were what when where which who whom"
        " whose why will with would you your am i'm it's about not no just",
        "german": "der die das den dem des ein eine einen einem einer und oder aber ist sind war waren bin bist hat habe haben hatte ich du er"
        " sie es wir ihr mich mir dich dir uns mein meine meinen meinem meiner dein deine sein seine ihre unser unsere zu in im"
        " am an auf aus bei mit nach von vom zum zur für über um wie was wer wo wann warum welche welcher welches welchen nicht"
        " kein keine auch noch schon nur dass wenn als hast wird werden",
        "french": "le la les l' un une des du de d' et ou mais est sont était suis es ai as a avons avez ont j' je tu il elle on nous vous"
        " ils elles me te se m' t' s' mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs ce cet cette ces à au aux en"
        " dans sur pour par avec sans que qui quoi quel quelle quels quelles où quand comment pourquoi ne pas plus c' qu' n'",
        "spanish": "el la los las un una unos unas de del y o pero es son era fue fui soy eres está estoy he ha han había yo tú él ella"
        " nosotros ellos me te se nos le les lo mi mis tu tus su sus nuestro nuestra nuestros nuestras este esta esto ese esa eso"
        " en a al con sin por para que qué quién quiénes cuál cuáles cuándo dónde cómo cuánto cuánta cuántos cuántas no ya muy",
        "portuguese": "o a os as um uma uns umas de do da dos das e ou mas é são era foi fui sou está estou eu tu ele ela nós eles você"
        " vocês me te se nos lhe meu minha meus minhas teu tua seu sua seus suas nosso nossa este esta isso esse essa em no na nos"
        " nas com sem por para pelo pela que quem qual quais quando onde como quanto não já muito ao à",
        "italian": "il lo la i gli le l' un uno una un' di del della dello dei delle degli e o ma è sono era ho hai ha abbiamo avete hanno io"
        " tu lui lei noi voi loro mi ti si ci vi mio mia miei mie tuo tua suo sua nostro nostra questo questa quello quella in nel"
        " nella a al alla da dal dalla con su sul per che chi cosa quale quali quando dove come perché quanto non più",
        "dutch": "de het een en of maar is zijn was waren ben bent heb hebt heeft had ik jij je hij zij ze wij we jullie mij me mijn jouw"
        " haar hun ons onze dit dat deze die van in op aan met naar voor bij uit over te om wat wie waar wanneer waarom hoe welke"
        " niet geen ook nog er",
        "turkish": "ve veya ama ile bir bu şu o ben sen biz siz onlar beni seni bana sana bize benim senin bizim onun için gibi kadar daha"
        " çok en de da ki mi mı mu mü ne kim kime kimi nerede nereye nereden zaman nasıl neden niye niçin hangi kaç değil var yok"
        " olan olarak sonra önce",
        "polish": "i a w we z ze na do od po za o u dla przez przed pod nad się to ten ta te tego tej tym jest są był była było być mam"
        " masz ma ja ty on ona my wy oni mnie mi cię ci mój moja moje mojego mojej swój nasz nie tak czy co kto kogo gdzie kiedy"
        " jak jaki jaka jakie który która które ile dlaczego już",
        "swedish": "och eller men är var jag du han hon vi ni de mig dig oss min mitt mina din ditt sin den det en ett att i på av för med"
        " till från om som vad vem var när hur varför vilken vilket inte har hade",
        "danish": "og eller men er var jeg du han hun vi i de mig dig os min mit mine din dit den det en et at på af for med til fra om"
        " som hvad hvem hvor hvornår hvordan hvorfor hvilken hvilket ikke har havde",
        "norwegian": "og eller men er var jeg du han hun vi dere de meg deg oss min mitt mine din ditt den det en et ei å på av for med til"
        " fra om som hva hvem hvor når hvordan hvorfor hvilken hvilket ikke har hadde",
        "finnish": "ja tai mutta on oli olen olet olla ei en et minä sinä hän me te he minun sinun hänen meidän minua minulle minut se"
        " tämä että kun jos niin mikä mitä kuka kenen missä mihin milloin miten miksi kuinka myös",
        "hungarian": "a az egy és vagy de van volt vagyok én te ő mi ti ők nem is hogy ha mint ez ezt azt ki mit kit hol hova mikor"
        " hogyan miért melyik mennyi hány meg már csak",
        "romanian": "și sau dar este sunt era am ai a au eu tu el ea noi voi ei mă te se îmi îți meu mea mei mele tău ta un o de la în"
        " pe cu din pentru că ce cine care când unde cum cât câți nu mai",
        "czech": "a i v ve z ze na do od po za o u pro při se si to ten ta je jsou byl byla bylo být jsem jsi mám máš já ty on ona my vy"
        " mě mi tě můj moje má svůj náš ne že co kdo koho kde kdy jak jaký jaká jaké který která které kolik proč už",
        "indonesian": "dan atau tetapi adalah itu ini yang di ke dari untuk dengan pada saya aku kamu anda dia kami kita mereka apa siapa"
        " mana kapan bagaimana mengapa berapa tidak bukan sudah ada",
        "russian": "и а но или в во на с со к ко у о об от до из за по для при без не ни да же ли бы что чтобы как так это этот эта эти то"
        " тот та те я ты он она оно мы вы они меня мне мной тебя тебе нас нам вас вам его ей ему её их мой моя моё мои моего моей"
        " моих твой твоя твои свой наш наша наши был была было были есть кто кого кому чём чем где куда откуда когда почему"
        " зачем сколько какой какая какое какие каком какую каких который которая которые уже",
        "greek": "ο η το οι τα του της των τον την και ή αλλά είναι ήταν είμαι έχω έχει εγώ εσύ μου σου του μας σας τους με σε για από στο"
        " στη στην στα που πού πότε πώς τι ποιος ποια ποιο πόσο γιατί δεν να θα",
        "arabic": "في من على الى عن مع هو هي انا انت نحن هم هذا هذه ذلك التي الذي ما ماذا متى اين كيف لماذا كم هل لم لن لا ان كان كانت قد"
        " و او ثم اي لي لك له لها عند بعد قبل",
        "persian": "و در به از که این آن را با برای است بود هست من تو او ما شما آنها چه کی کجا چرا چگونه چند کدام نه هم یا تا",
        "hindi": "का की के को में से पर और या है हैं था थी थे मैं मेरा मेरी मेरे हम तुम आप वह यह क्या कौन कब कहाँ कैसे क्यों कितना कितने ने नहीं भी",
    }.items()
}
EVERY_FUNCTION_WORD = frozenset().union(*FUNCTION_WORDS.values())
