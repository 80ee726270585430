"""Claim sets in five languages, written for the tests, with what they cite and known damage.

Of each language three sets. `parents` maps a claim to what it cites; `damages` are pairs of what
stands once in the text and what stands there instead: other words, a lost limitation, another
material, one character.
"""
# ruff: noqa: E501, RUF001

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class ClaimSet:
    language: str
    text: str
    parents: Mapping[int, tuple[int, ...]]
    damages: tuple[tuple[str, str], ...]

    def damaged(self, place: int) -> str:
        old, new = self.damages[place]
        assert self.text.count(old) == 1, old
        return self.text.replace(old, new)


ENGLISH = (
    ClaimSet(
        "en",
        "1. A pump comprising a housing, a rotor made of steel, and a shaft that supports the rotor "
        "in the housing.\n"
        "2. The pump according to claim 1, wherein the shaft is supported by two ball bearings.\n"
        "3. The pump according to claim 1 or 2, wherein the housing has a drain opening at its lowest "
        "point.\n"
        "4. The pump according to any one of claims 1 to 3, further comprising a filter before the "
        "inlet.",
        {1: (), 2: (1,), 3: (1, 2), 4: (1, 2, 3)},
        (("steel", "copper"), (" at its lowest point", ""), ("ball bearings", "sleeve bearings")),
    ),
    ClaimSet(
        "en",
        "1. A method of coating a lens, comprising cleaning the lens with ethanol, heating the lens to "
        "80 °C and applying a layer of silica.\n"
        "2. The method of claim 1, wherein the layer is 20 nm thick.\n"
        "3. The method according to any of the preceding claims, wherein the heating lasts ten "
        "minutes.",
        {1: (), 2: (1,), 3: (1, 2)},
        (("ethanol", "acetone"), (", heating the lens to 80 °C", ""), ("silica", "alumina")),
    ),
    ClaimSet(
        "en",
        "1. A terminal comprising a camera, a memory and a processor configured to read a code from "
        "an image of the camera.\n"
        "2. The terminal as claimed in claim 1, wherein the processor stores the code in the memory.\n"
        "3. A system comprising the terminal of claim 2 and a server that receives the code.",
        {1: (), 2: (1,), 3: (2,)},
        (("a camera, ", ""), ("a server", "a relay"), ("stores the code", "deletes the code")),
    ),
)
GERMAN = (
    ClaimSet(
        "de",
        "1. Pumpe mit einem Gehäuse, einem Rotor aus Stahl und einer Welle, die den Rotor im "
        "Gehäuse trägt.\n"
        "2. Pumpe nach Anspruch 1, dadurch gekennzeichnet, dass die Welle in zwei Kugellagern "
        "gelagert ist.\n"
        "3. Pumpe nach Anspruch 1 oder 2, wobei das Gehäuse an seiner tiefsten Stelle eine "
        "Abflussöffnung aufweist.\n"
        "4. Pumpe nach einem der Ansprüche 1 bis 3, ferner umfassend einen Filter vor dem Einlass.",
        {1: (), 2: (1,), 3: (1, 2), 4: (1, 2, 3)},
        (("Stahl", "Kupfer"), (" an seiner tiefsten Stelle", ""), ("Gehäuse an", "Gestell an")),
    ),
    ClaimSet(
        "de",
        "1. Verfahren zum Beschichten einer Linse, umfassend das Reinigen der Linse mit Äthanol, "
        "das Erwärmen der Linse auf 80 °C und das Auftragen einer Schicht aus Kieselerde.\n"
        "2. Verfahren nach Patentanspruch 1, wobei die Schicht 20 nm dick ist.\n"
        "3. Verfahren nach einem der vorhergehenden Ansprüche, wobei das Erwärmen zehn Minuten "
        "dauert.",
        {1: (), 2: (1,), 3: (1, 2)},
        (
            ("Äthanol", "Methanol"),
            (", das Erwärmen der Linse auf 80 °C", ""),
            ("Kieselerde", "Tonerde"),
        ),
    ),
    ClaimSet(
        "de",
        "1. Endgerät mit einer Kamera, einem Speicher und einem Prozessor, der einen Code aus einem "
        "Bild der Kamera liest.\n"
        "2. Endgerät gemäß Anspruch 1, wobei der Prozessor den Code im Speicher ablegt.\n"
        "3. System mit dem Endgerät des Anspruchs 2 und einem Server, der den Code empfängt.",
        {1: (), 2: (1,), 3: (2,)},
        (("einer Kamera, ", ""), ("einem Server", "einem Verstärker"), ("ablegt", "löscht")),
    ),
)
FRENCH = (
    ClaimSet(
        "fr",
        "1. Pompe comprenant un boîtier, un rotor en acier et un arbre qui porte le rotor dans le "
        "boîtier.\n"
        "2. Pompe selon la revendication 1, caractérisée en ce que l'arbre est supporté par deux "
        "roulements à billes.\n"
        "3. Pompe selon la revendication 1 ou 2, dans laquelle le boîtier présente une ouverture "
        "d'évacuation à son point le plus bas.\n"
        "4. Pompe selon l'une quelconque des revendications 1 à 3, comprenant en outre un filtre "
        "devant l'entrée.",
        {1: (), 2: (1,), 3: (1, 2), 4: (1, 2, 3)},
        (("acier", "cuivre"), (" à son point le plus bas", ""), ("à billes", "à aiguilles")),
    ),
    ClaimSet(
        "fr",
        "1. Procédé de revêtement d'une lentille, comprenant le nettoyage de la lentille à "
        "l'éthanol, le chauffage de la lentille à 80 °C et l'application d'une couche de silice.\n"
        "2. Procédé selon la revendication 1, dans lequel la couche a une épaisseur de 20 nm.\n"
        "3. Procédé selon l'une quelconque des revendications précédentes, dans lequel le "
        "chauffage dure dix minutes.",
        {1: (), 2: (1,), 3: (1, 2)},
        (
            ("l'éthanol", "l'acétone"),
            (", le chauffage de la lentille à 80 °C", ""),
            ("silice", "alumine"),
        ),
    ),
    ClaimSet(
        "fr",
        "1. Terminal comprenant une caméra, une mémoire et un processeur configuré pour lire un "
        "code dans une image de la caméra.\n"
        "2. Terminal selon la revendication 1, dans lequel le processeur enregistre le code dans la "
        "mémoire.\n"
        "3. Système comprenant le terminal de la revendication 2 et un serveur qui reçoit le code.",
        {1: (), 2: (1,), 3: (2,)},
        (("une caméra, ", ""), ("un serveur", "un relais"), ("enregistre", "efface")),
    ),
)
CHINESE = (
    ClaimSet(
        "zh",
        "1. 一种泵，包括壳体、由钢制成的转子以及在所述壳体内支撑所述转子的轴。\n"
        "2. 根据权利要求1所述的泵，其特征在于，所述轴由两个滚珠轴承支撑。\n"
        "3. 如权利要求1或2所述的泵，其中，所述壳体在其最低点设有排放口。\n"
        "4. 根据权利要求1至3中任一项所述的泵，还包括位于入口之前的过滤器。",
        {1: (), 2: (1,), 3: (1, 2), 4: (1, 2, 3)},
        (("钢", "铜"), ("在其最低点", ""), ("滚珠", "滑动")),
    ),
    ClaimSet(
        "zh",
        "1、一种镜片镀膜方法，包括用乙醇清洗镜片，将镜片加热到80℃，并涂覆一层二氧化硅。\n"
        "2、如权利要求1所述的方法，其特征在于所述层的厚度为20nm。\n"
        "3、根据前述权利要求中任一项所述的方法，其中所述加热持续十分钟。",
        {1: (), 2: (1,), 3: (1, 2)},
        (("乙醇", "丙酮"), ("将镜片加热到80℃，", ""), ("二氧化硅", "氧化铝")),
    ),
    ClaimSet(
        "zh",
        "1．一種終端，包含相機、存儲器以及從該相機的影像中讀取代碼的處理器。\n"
        "2．如請求項1所述之終端，其中該處理器將該代碼儲存於該存儲器。\n"
        "3．一種系統，包含如請求項2所述之終端以及接收該代碼的伺服器。",
        {1: (), 2: (1,), 3: (2,)},
        (("相機、", ""), ("伺服器", "中繼器"), ("儲存於", "刪除於")),
    ),
)
JAPANESE = (
    ClaimSet(
        "ja",
        "【請求項１】\n"
        "　ハウジングと、鋼製のロータと、前記ハウジング内で前記ロータを支持する軸とを備えるポンプ。\n"
        "【請求項２】\n"
        "　前記軸が２つの玉軸受によって支持されている、請求項１に記載のポンプ。\n"
        "【請求項３】\n"
        "　前記ハウジングは最下点に排出口を有する、請求項１又は２に記載のポンプ。\n"
        "【請求項４】\n"
        "　入口の前にフィルタを更に備える、請求項１〜３のいずれか１項に記載のポンプ。",
        {1: (), 2: (1,), 3: (1, 2), 4: (1, 2, 3)},
        (("鋼製", "銅製"), ("は最下点に", "は"), ("玉軸受", "滑り軸受")),
    ),
    ClaimSet(
        "ja",
        "請求項1：レンズをエタノールで洗浄し、80℃に加熱し、シリカの層を塗布することを含むコーティング方法。\n"
        "請求項2：前記層の厚さが20nmである、請求項1に記載の方法。\n"
        "請求項3：前記加熱が10分間続く、請求項1から2のいずれか一項に記載の方法。",
        {1: (), 2: (1,), 3: (1, 2)},
        (("エタノール", "アセトン"), ("80℃に加熱し、", ""), ("シリカ", "アルミナ")),
    ),
    ClaimSet(
        "ja",
        "1. カメラと、メモリと、前記カメラの画像からコードを読み取るプロセッサとを備える端末。\n"
        "2. 前記プロセッサが前記コードを前記メモリに記憶する、請求項１記載の端末。\n"
        "3. 請求項２に記載の端末と、前記コードを受信するサーバとを含むシステム。",
        {1: (), 2: (1,), 3: (2,)},
        (("カメラと、メ", "メ"), ("サーバ", "中継器"), ("に記憶する", "から削除する")),
    ),
)
ALL = (*ENGLISH, *GERMAN, *FRENCH, *CHINESE, *JAPANESE)
